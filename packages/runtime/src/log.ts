import { type Span, trace } from '@opentelemetry/api'
import pino, { type Logger } from 'pino'

export type Log = Logger

/** One JSON line a record on standard output, with the trace it belongs to. */
export function createLog(service: string, level: string): Log {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['*.authorization', '*["api-key"]', '*["api-pin"]', '*.key', '*.pin', '*.token', '*.password'],
      censor: '[secret]',
    },
    mixin: () => traceFields(trace.getActiveSpan()),
  })
}

function traceFields(span: Span | undefined): Record<string, string> {
  if (span === undefined) return {}
  const context = span.spanContext()
  return { trace_id: context.traceId, span_id: context.spanId }
}
