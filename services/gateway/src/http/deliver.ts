/** Sends replies as their clients take them: within the limit on all replies, and never to a client that is too slow. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type Refusal, RefusalError, serverBusy, statusOf } from '@worlds/domain/errors'
import type { ByteBudget, ByteLease } from '@worlds/runtime/byte-budget'
import { replyWindow } from '@worlds/runtime/reply-parts'
import type { FinalAnswer, RefusalAnswer, StreamAnswer, WholeAnswer } from './answer'
import { current, type Dialect } from './dialect'
import type { SlowClients } from './read-body'
import { lingerMs } from './server'

export interface DeliveryLimits {
  /** Bytes of replies that wait for their clients. */
  readonly replies: ByteBudget
  readonly slowClients: SlowClients
}

/** Bytes of a reply that is written at once: the socket's buffers nearly always have room for it. */
const smallBytes = 64 << 10

/** Bytes of a large reply that are written at first, and then piece by piece as the client takes them. */
const firstBytes = 512 << 10
const pieceBytes = 64 << 10

/**
 * Sends an answer. `handedOver` is called as soon as only the client is waited for. Rejects with a refusal, before the
 * first byte, while there is no room for the reply.
 */
export async function deliver(
  response: ServerResponse,
  answer: FinalAnswer,
  headers: Record<string, string>,
  limits: DeliveryLimits,
  handedOver: () => void,
): Promise<void> {
  if (response.headersSent || response.destroyed || answer.kind === 'refusal') {
    if (answer.kind === 'stream') answer.cancel()
    return handedOver()
  }
  if (answer.kind === 'stream') return deliverStream(response, answer, headers, limits, handedOver)
  const { status, body } = answer
  const length = body?.reduce((sum, { length }) => sum + length, 0) ?? 0
  const all = { ...headers, ...answer.headers }
  if (length > smallBytes && response.req.method !== 'HEAD') {
    const lease = await acquire(limits.replies, length)
    handedOver()
    return transfer(response, lease, limits.slowClients, async (sendBytes) => {
      response.writeHead(status, { ...all, 'content-type': 'application/json', 'content-length': length })
      for (const piece of body ?? []) await sendBytes(piece)
    })
  }
  write(response, status, body, all)
  handedOver()
  if (response.writableLength > 0) void waitForSlow(response, length, limits)
}

async function acquire(replies: ByteBudget, bytes: number): Promise<ByteLease> {
  try {
    return await replies.acquire(bytes)
  } catch {
    throw new RefusalError(serverBusy())
  }
}

async function deliverStream(
  response: ServerResponse,
  answer: StreamAnswer,
  headers: Record<string, string>,
  { replies, slowClients }: DeliveryLimits,
  handedOver: () => void,
): Promise<void> {
  const { pieces, length } = answer
  const lease = await acquire(replies, replyWindow).catch((error: unknown) => {
    answer.cancel()
    throw error
  })
  handedOver()
  await transfer(response, lease, slowClients, async (sendBytes) => {
    const sized = length === undefined ? {} : { 'content-length': length }
    response.writeHead(200, { ...headers, 'content-type': 'application/json', ...sized })
    if (response.req.method === 'HEAD') return answer.cancel()
    for await (const piece of pieces) await sendBytes(piece)
  })
}

/** Ends a transfer whose connection is closed. */
class Gone extends Error {}

async function transfer(
  response: ServerResponse,
  lease: ByteLease,
  slowClients: SlowClients,
  send: (sendBytes: (bytes: Buffer) => Promise<void>) => Promise<void>,
): Promise<void> {
  lease.beginTransfer(() => response.destroy())
  try {
    await send(async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + (lease.moved < firstBytes ? firstBytes : pieceBytes))
        if (!response.destroyed && !response.write(piece)) await drained(response, piece.length, slowClients)
        if (response.destroyed) throw new Gone()
        lease.move(piece.length)
        at += piece.length
      }
    })
    response.end()
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  } finally {
    lease.release()
  }
}

/** Resolves once the client has taken what was written, or is cut off for taking longer than the slowest may. */
async function drained(response: ServerResponse, bytes: number, { bytesPerS, overMs }: SlowClients): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const timer = setTimeout(() => response.destroy(), Math.max(overMs, (bytes * 1000) / bytesPerS))
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  clearTimeout(timer)
  over.abort()
}

/** Counts a small reply that its client did not take at once, until it does. */
async function waitForSlow(response: ServerResponse, bytes: number, limits: DeliveryLimits): Promise<void> {
  const lease = limits.replies.take(bytes)
  const cut = () => response.destroy()
  lease.beginTransfer(cut)
  const timer = setTimeout(cut, limits.slowClients.overMs)
  response.once('close', () => {
    clearTimeout(timer)
    lease.release()
  })
}

function write(
  response: ServerResponse,
  status: number,
  body: WholeAnswer['body'],
  headers: Record<string, string | number>,
): void {
  if (body === null) {
    response.writeHead(status, headers).end()
    return
  }
  const length = body.reduce((sum, { length }) => sum + length, 0)
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length })
  for (const piece of body.slice(0, -1)) response.write(piece)
  response.end(body.at(-1))
}

/** Sends a whole answer outside the limits: a refusal, or the little that routes without a slot reply. */
export function send(
  response: ServerResponse,
  answer: WholeAnswer | RefusalAnswer,
  headers: Record<string, string>,
  docsUrl: string,
  dialect: Dialect = current,
): void {
  if (response.headersSent || response.destroyed) return
  if (answer.kind === 'refusal') sendRefusal(response, answer.refusal, headers, docsUrl, dialect)
  else write(response, answer.status, answer.body, { ...headers, ...answer.headers })
}

function sendRefusal(
  response: ServerResponse,
  refusal: Refusal,
  headers: Record<string, string>,
  docsUrl: string,
  dialect: Dialect,
): void {
  const retry: Record<string, string> =
    refusal.retryAfterS === undefined ? {} : { 'retry-after': String(refusal.retryAfterS) }
  const body = [Buffer.from(dialect(refusal, docsUrl))]
  if (closes(response, refusal)) response.shouldKeepAlive = false
  write(response, statusOf(refusal.code), body, { ...headers, ...retry })
  linger(response, refusal.code !== 'server_busy')
}

/**
 * What follows on a connection is not to be trusted after a request that was ambiguous; and a client
 * that still waits for leave to send its body sends something else next.
 */
function closes({ req: request }: ServerResponse, { code }: Refusal): boolean {
  const isWaiting = request.headers.expect !== undefined && !request.complete
  return code === 'bad_http' || code === 'request_timeout' || isWaiting
}

/**
 * Leaves the connection open for a while where a body was refused: to close at once would reset it before the client has
 * seen the answer. Reads on for clients that send all before they look; not while the process is busy with bodies.
 */
function linger({ req: request, socket }: ServerResponse, readsOn: boolean): void {
  if (request.complete) return
  if (readsOn) request.resume()
  const timer = setTimeout(() => request.complete || socket?.destroy(), lingerMs)
  request.once('close', () => clearTimeout(timer))
}
