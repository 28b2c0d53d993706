import { type Span, trace } from '@opentelemetry/api'
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { serializeError } from './log-error'

export type Log = Logger

/**
 * A log that writes one JSON line per record, with the trace it belongs to, to standard output or to `destination`.
 */
export function createLog(service: string, level: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['*.authorization', '*["api-key"]', '*["api-pin"]', '*.key', '*.pin', '*.token', '*.password'],
      censor: '[secret]',
    },
    serializers: { err: serializeError },
    mixin: () => traceFields(trace.getActiveSpan()),
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

function traceFields(span: Span | undefined): Record<string, string> {
  if (span === undefined) return {}
  const context = span.spanContext()
  return { trace_id: context.traceId, span_id: context.spanId }
}
