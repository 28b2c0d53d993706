import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { invalid, payloadTooLarge, RefusalError, requestTimeout, serverBusy } from '@worlds/domain/errors'
import type { ByteBudget, ByteLease } from '@worlds/runtime/byte-budget'
import { ClientLeft, type Slot } from './request-slots'

/** 2.5 MB (A76): also what a compressed body may inflate to. */
export const bodyLimit = 2_621_440

/** What may be sent without a credential, or before one is found to hold. */
export const anonymousBodyLimit = 65_536

export interface BodyLimits {
  /** Bytes of request bodies that the process holds at once. */
  readonly ingest: ByteBudget
  readonly slowClients: SlowClients
}

/** A client that sends or reads slower than this on average, over so many milliseconds, is disconnected. */
export interface SlowClients {
  readonly bytesPerS: number
  readonly overMs: number
}

const inflate = promisify(gunzip)

/**
 * Reads the request's body: bytes of JSON text, empty when none was sent. The slot is given back while the client
 * sends, and acquired again before this resolves.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  slot: Slot,
  limits: BodyLimits,
  limit = bodyLimit,
): Promise<ReceivedBody> {
  const announced = request.headers['content-length']
  if (Number(announced ?? 0) > limit) throw new RefusalError(payloadTooLarge(limit))
  refuseCharset(request.headers['content-type'])
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding !== 'identity' && coding !== 'gzip') {
    throw new RefusalError(invalid('Content-Encoding', 'A body is sent as it is, or as gzip.'))
  }
  const hasArrived = request.complete
  if (!hasArrived) slot.release()
  const lease = await reserve(
    limits.ingest,
    coding === 'gzip' || announced === undefined ? limit : Number(announced),
    slot,
  )
  try {
    if (request.headers.expect !== undefined) response.writeContinue()
    const body = await collect(request, limits, limit, lease)
    if (!hasArrived) await slot.acquire()
    const bytes = coding === 'gzip' && body.length > 0 ? await inflateWithin(body, limit) : body
    return { bytes, release: () => lease.release() }
  } catch (error) {
    lease.release()
    throw error
  }
}

/** Nothing of a body is read before there is room for it. */
async function reserve(ingest: ByteBudget, bytes: number, { departure, client }: Slot): Promise<ByteLease> {
  try {
    return await ingest.acquire(bytes, bytes === 0 ? undefined : departure.signal, client)
  } catch {
    throw departure.signal.aborted ? new ClientLeft() : new RefusalError(serverBusy())
  }
}

export interface ReceivedBody {
  readonly bytes: Buffer
  /** Gives the body's bytes back to the limit on all bodies. */
  release(): void
}

function collect(
  request: IncomingMessage,
  { slowClients }: BodyLimits,
  limit: number,
  lease: ByteLease,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Who has left already will never be heard of again.
    if (request.destroyed) return reject(new ClientLeft())
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => {
      // An idle connection keeps its last request, and a listener would keep the body with it.
      request.off('data', take).off('end', end).off('close', left).off('error', left)
      stopWatching()
    }
    const fail = (error: Error) => {
      stop()
      request.pause()
      reject(error)
    }
    const left = () => fail(new ClientLeft())
    const tooSlow = () => fail(new RefusalError(requestTimeout()))
    const stopWatching = request.complete ? () => {} : watchPace(slowClients, () => size, tooSlow)
    if (!request.complete) lease.beginTransfer(tooSlow)
    const take = (chunk: Buffer) => {
      size += chunk.length
      lease.move(chunk.length)
      if (size > limit) fail(new RefusalError(payloadTooLarge(limit)))
      else chunks.push(chunk)
    }
    const end = () => {
      stop()
      lease.endTransfer()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    }
    request.on('data', take).once('end', end).once('error', left).once('close', left)
  })
}

/** Calls `tooSlow` once fewer bytes have come in a period than are asked for. Returns what ends that. */
function watchPace({ bytesPerS, overMs }: SlowClients, received: () => number, tooSlow: () => void): () => void {
  let before = 0
  const timer = setInterval(() => {
    if (received() - before < (bytesPerS * overMs) / 1000) tooSlow()
    before = received()
  }, overMs)
  return () => clearInterval(timer)
}

async function inflateWithin(body: Buffer, limit: number): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: limit })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new RefusalError(isTooLarge ? payloadTooLarge(limit) : invalid(null, 'The body is not gzip.'))
  }
}

/** Content-Type is not checked (A35), but another character set could only be misread. */
function refuseCharset(contentType: string | undefined): void {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new RefusalError(invalid('Content-Type', 'A body is UTF-8.'))
  }
}
