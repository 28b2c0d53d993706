/** Trace context where no instrumentation carries it: over the channel's stream and into group commits. */
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

const tracer = trace.getTracer('worlds')

/** W3C trace context of the active span; empty when nothing is traced. */
export function activeTraceparent(): string {
  if (trace.getActiveSpan() === undefined) return ''
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? ''
}

/** Runs `work` as a server's span of the caller's trace; simply runs it when the call is not traced. */
export function inServerSpan<T>(name: string, traceparent: string, work: () => Promise<T>): Promise<T> {
  if (traceparent === '') return work()
  const parent = propagation.extract(context.active(), { traceparent })
  return tracer.startActiveSpan(name, { kind: SpanKind.SERVER }, parent, (span) => ending(span, work()))
}

/** Runs `work` as a span of its own that links to the spans it serves. */
export function inLinkedSpan<T>(name: string, served: readonly Span[], work: () => Promise<T>): Promise<T> {
  const [first] = served
  if (first === undefined) return work()
  const links = served.map((span) => ({ context: span.spanContext() }))
  const parent = trace.setSpan(context.active(), first)
  return tracer.startActiveSpan(name, { kind: SpanKind.INTERNAL, links }, parent, (span) => ending(span, work()))
}

export type { Span }

/** The span that this turn of work belongs to. */
export function activeSpan(): Span | undefined {
  return trace.getActiveSpan()
}

async function ending<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    span.recordException(error as Error)
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/** For what is begun in one request and serves others. */
export function outsideTraces<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work)
}
