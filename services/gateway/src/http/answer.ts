import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type Refusal, statusOf } from '@worlds/domain/errors'
import { current, type Dialect } from './dialect'
import { lingerMs } from './server'

/** An answer that stands before its first byte is sent. */
export type WholeAnswer =
  | {
      readonly kind: 'reply'
      readonly status: number
      /** JSON, in one piece or several; null for none. */
      readonly body: readonly Buffer[] | null
      readonly headers?: Record<string, string>
    }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }

/** What a request is answered with. */
export type FinalAnswer =
  | WholeAnswer
  /** JSON that is sent as it is read: a 200 from its first piece on. */
  | { readonly kind: 'stream'; readonly pieces: AsyncIterable<Buffer> }

/** What a route answers. */
export type Answer =
  | FinalAnswer
  /** The principal is out of date: authenticate again and repeat. */
  | { readonly kind: 'ask-again' }

export const refuse = (refusal: Refusal): WholeAnswer => ({ kind: 'refusal', refusal })

export function json(status: number, value: unknown): WholeAnswer {
  return { kind: 'reply', status, body: [Buffer.from(JSON.stringify(value))] }
}

/** Milliseconds without progress after which a client that does not read is cut off. */
const stalledMs = 30_000

/** Replies up to this size fit into the socket's buffers. */
const stallBytes = 64 << 10

export function send(
  response: ServerResponse,
  answer: WholeAnswer,
  headers: Record<string, string>,
  docsUrl: string,
  dialect: Dialect = current,
): void {
  if (response.headersSent || response.destroyed) return
  if (answer.kind === 'refusal') {
    const { refusal } = answer
    const retry: Record<string, string> =
      refusal.retryAfterS === undefined ? {} : { 'retry-after': String(refusal.retryAfterS) }
    const body = [Buffer.from(dialect(refusal, docsUrl))]
    if (closes(response, refusal)) response.shouldKeepAlive = false
    write(response, statusOf(refusal.code), body, { ...headers, ...retry })
    linger(response)
  } else {
    write(response, answer.status, answer.body, { ...headers, ...answer.headers })
  }
}

/** Sends pieces as they come, and as the client takes them. Rejects when they fail to: then the connection must end. */
export async function sendStream(
  response: ServerResponse,
  pieces: AsyncIterable<Buffer>,
  headers: Record<string, string>,
): Promise<void> {
  if (response.headersSent || response.destroyed) return
  response.writeHead(200, { ...headers, 'content-type': 'application/json' })
  if (response.req.method !== 'HEAD') {
    cutWhenStalled(response)
    for await (const piece of pieces) {
      if (!response.write(piece)) await drained(response)
      if (response.destroyed) return
    }
  }
  response.end()
}

async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  over.abort()
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
