import http, { type RefinedResponse } from 'k6/http'
import { Counter, Trend } from 'k6/metrics'

/** Without a slash at its end. */
export const baseUrl = (__ENV.BASE_URL ?? '').replace(/\/+$/, '')

/** Answers 503 `server_busy`: what the gateway says when it has no slot in time. */
const busy503 = new Counter('busy_503')
/** Answers of 500 and above that say anything else. No load is an excuse for them. */
const other5xx = new Counter('other_5xx')
/** Requests that were never answered, but for those whose client was to leave. */
const noAnswer = new Counter('no_answer')
const accepted = new Counter('accepted')
const acceptedMs = new Trend('accepted_ms', true)
const busyWaitMs = new Trend('busy_wait_ms', true)

export interface Ask {
  /** What kind of request it is: metrics and thresholds are told apart by it. */
  readonly op: string
  readonly headers?: Record<string, string>
  readonly tags?: Record<string, string>
  /** Sent as it is when it is a string or bytes, as JSON otherwise. */
  readonly body?: unknown
  /** The client leaves without an answer after so long, and that is no fault. */
  readonly leavesAfter?: string
  /** No answer for so long is a fault; a minute unless said. */
  readonly timeout?: string
}

export interface Reply {
  readonly status: number
  readonly ok: boolean
  readonly busy: boolean
  readonly ms: number
  /** Why there is no answer, and k6's number for it; '' and 0 where there is one below 400. */
  readonly error: string
  readonly errorCode: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a script says itself what it expects in a body.
  readonly body: any
  header(name: string): string | undefined
}

/** One request to the system under test, counted by what came of it. A path is of the gateway, a URL any host's. */
export function ask(method: string, to: string, { op, headers, tags, body, leavesAfter, timeout }: Ask): Reply {
  const raw = body === undefined || typeof body === 'string' || body instanceof ArrayBuffer
  const response = http.request(
    method,
    to.startsWith('/') ? `${baseUrl}${to}` : to,
    raw ? ((body ?? null) as string | null) : JSON.stringify(body),
    {
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      // Paths hold ids: by their own names they would be thousands of series.
      tags: { ...tags, op, name: op },
      timeout: leavesAfter ?? timeout ?? '60s',
    },
  )
  const reply = toReply(response)
  count(reply, { ...tags, op }, leavesAfter !== undefined)
  return reply
}

function toReply(response: RefinedResponse<'text'>): Reply {
  const { status, timings, headers, error, error_code: errorCode } = response
  const text = response.body ?? ''
  const body = parse(text)
  return {
    status,
    ok: status >= 200 && status < 300,
    busy: status === 503 && body?.error?.code === 'server_busy',
    ms: timings.duration,
    error,
    errorCode,
    text,
    body,
    header: (name) => headers[Object.keys(headers).find((key) => key.toLowerCase() === name) ?? ''],
  }
}

function count({ status, ok, busy, ms }: Reply, tags: Record<string, string>, mayLeave: boolean): void {
  // Counters that count nothing have no value at all in a summary, so the zeros are told too.
  busy503.add(busy ? 1 : 0, tags)
  other5xx.add(status >= 500 && !busy ? 1 : 0, tags)
  noAnswer.add(status === 0 && !mayLeave ? 1 : 0, tags)
  accepted.add(ok ? 1 : 0, tags)
  if (ok) acceptedMs.add(ms, tags)
  if (busy) busyWaitMs.add(ms, tags)
}

// biome-ignore lint/suspicious/noExplicitAny: see Reply.
function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
