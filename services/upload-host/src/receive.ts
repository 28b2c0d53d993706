/** Takes a body in, judging it as it streams by, into a file of its own that goes with it. */
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { StreamCheck } from './check/checks'
import { isSoundZip } from './check/zip'
import type { Context } from './context'
import { Refused } from './refusals'

/** Bodies up to this size stay in memory. */
const inMemory = 1_048_576

export interface Received {
  /** The bytes from the beginning, each time it is called. */
  body(): Readable | Buffer
  release(): Promise<void>
}

interface Incoming {
  readonly bytes: number
  readonly check: StreamCheck
  /** A zip is judged as a whole, and for that as a file. */
  readonly isZip: boolean
  /** Ends the wait for a client when its claim is lost. */
  readonly signal: AbortSignal
}

/** The client has left, or sent less than it announced. */
export class BodyEnded extends Error {
  override readonly name = 'BodyEnded'
}

export async function receive(
  { directory }: Context,
  request: IncomingMessage,
  token: string,
  incoming: Incoming,
): Promise<Received> {
  if (incoming.bytes <= inMemory && !incoming.isZip) return receiveInMemory(request, incoming)
  const path = join(directory, `upload-${token}`)
  const file = await open(path, 'wx+', 0o600)
  let isLinked = true
  const forget = async () => {
    if (isLinked) await unlink(path)
    isLinked = false
  }
  try {
    // Without a name it goes with the process, however that ends.
    if (!incoming.isZip) await forget()
    await readBody(request, incoming, (chunk, position) => writeAll(file, chunk, position))
    if (incoming.isZip && !(await isSoundZip(path, incoming.bytes))) throw new Refused('unsupported_type')
    await forget()
  } catch (error) {
    await Promise.all([forget(), file.close()])
    throw error
  }
  return {
    body: () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 }),
    release: () => file.close(),
  }
}

async function receiveInMemory(request: IncomingMessage, incoming: Incoming): Promise<Received> {
  const chunks: Buffer[] = []
  await readBody(request, incoming, async (chunk) => {
    chunks.push(chunk)
  })
  const whole = Buffer.concat(chunks)
  return { body: () => whole, release: async () => undefined }
}

/** Never takes in more than was announced, and stops at the first byte that cannot be of its kind. */
async function readBody(
  request: IncomingMessage,
  { bytes, check, signal }: Incoming,
  keep: (chunk: Buffer, position: number) => Promise<void>,
): Promise<void> {
  const stop = () => request.destroy(new Refused('exists'))
  signal.addEventListener('abort', stop, { once: true })
  let position = 0
  try {
    // Kept open when it is left early: the answer goes the same way.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (position + chunk.length > bytes) throw new Refused('too_large')
      if (!check.push(chunk)) throw new Refused('unsupported_type')
      await keep(chunk, position)
      position += chunk.length
    }
  } catch (error) {
    throw error instanceof Refused || !request.destroyed ? error : new BodyEnded('the body ended early')
  } finally {
    signal.removeEventListener('abort', stop)
  }
  if (position < bytes) throw new BodyEnded('the body ended early')
  if (!check.end()) throw new Refused('unsupported_type')
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, written, chunk.length - written, position + written)
    written += bytesWritten
  }
}
