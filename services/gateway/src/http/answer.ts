import type { ServerResponse } from 'node:http'
import { envelope, type Refusal, statusOf } from '@worlds/domain/errors'
import { lingerMs } from './server'

/** What a request is answered with. */
export type FinalAnswer =
  | {
      readonly kind: 'reply'
      readonly status: number
      /** JSON, in one piece or several; null for none. */
      readonly body: readonly Buffer[] | null
      readonly headers?: Record<string, string>
    }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }

/** What a route answers. */
export type Answer =
  | FinalAnswer
  /** The principal is out of date: authenticate again and repeat. */
  | { readonly kind: 'ask-again' }

export const refuse = (refusal: Refusal): FinalAnswer => ({ kind: 'refusal', refusal })

export function json(status: number, value: unknown): FinalAnswer {
  return { kind: 'reply', status, body: [Buffer.from(JSON.stringify(value))] }
}

/** Milliseconds without progress after which a client that does not read is cut off. */
const stalledMs = 30_000

/** Replies up to this size fit into the socket's buffers. */
const stallBytes = 64 << 10

export function send(
  response: ServerResponse,
  answer: FinalAnswer,
  headers: Record<string, string>,
  docsUrl: string,
): void {
  if (response.headersSent || response.destroyed) return
  if (answer.kind === 'refusal') {
    const { refusal } = answer
    const retry: Record<string, string> =
      refusal.retryAfterS === undefined ? {} : { 'retry-after': String(refusal.retryAfterS) }
    const body = [Buffer.from(envelope(refusal, docsUrl))]
    if (closes(response, refusal)) response.shouldKeepAlive = false
    write(response, statusOf(refusal.code), body, { ...headers, ...retry })
    linger(response)
  } else {
    write(response, answer.status, answer.body, { ...headers, ...answer.headers })
  }
}

function write(
  response: ServerResponse,
  status: number,
  body: readonly Buffer[] | null,
  headers: Record<string, string | number>,
): void {
  if (body === null) {
    response.writeHead(status, headers).end()
    return
  }
  const length = body.reduce((sum, { length }) => sum + length, 0)
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length })
  if (length > stallBytes) cutWhenStalled(response)
  for (const piece of body.slice(0, -1)) response.write(piece)
  response.end(body.at(-1))
}

function cutWhenStalled(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) return
  const cut = () => response.destroy()
  socket.setTimeout(stalledMs)
  socket.once('timeout', cut)
  response.once('close', () => socket.off('timeout', cut))
}

/**
 * What follows on a connection is not to be trusted after a request that was ambiguous; and a client
 * that still waits for leave to send its body sends something else next.
 */
function closes({ req: request }: ServerResponse, { code }: Refusal): boolean {
  const isWaiting = request.headers.expect !== undefined && !request.complete
  return code === 'bad_http' || isWaiting
}

/**
 * Reads on past the end of what is refused unread: to close at once would reset the connection
 * before the client has seen the answer.
 */
function linger({ req: request, socket }: ServerResponse): void {
  if (request.complete) return
  request.resume()
  const timer = setTimeout(() => request.complete || socket?.destroy(), lingerMs)
  request.once('close', () => clearTimeout(timer))
}
