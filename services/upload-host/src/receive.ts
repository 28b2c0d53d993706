/** Takes a body in, judging it as it streams by, into a file of its own that goes with it. */
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { StreamCheck } from './check/checks'
import { isSoundZip } from './check/zip'
import type { Context } from './context'
import { Refused } from './refusals'

/** Bodies up to this size stay in memory. */
const inMemory = 1_048_576

/** What is gathered before it is written to a file in one go. */
const atOnce = 1 << 19

/** Larger pieces would each be new memory to the process: their page faults cost more than they save. */
const readAtOnce = 1 << 16

export interface Received {
  /** The bytes from the beginning, each time it is called. */
  body(): Readable
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
    const writer = new Writer(file)
    await readBody(request, incoming, (chunk) => writer.add(chunk))
    await writer.end()
    if (incoming.isZip && !(await isSoundZip(path, incoming.bytes))) throw new Refused('unsupported_type')
    await forget()
  } catch (error) {
    await Promise.all([forget(), file.close()])
    throw error
  }
  return {
    body: () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: readAtOnce }),
    release: () => file.close(),
  }
}

async function receiveInMemory(request: IncomingMessage, incoming: Incoming): Promise<Received> {
  const chunks: Buffer[] = []
  await readBody(request, incoming, (chunk) => {
    chunks.push(chunk)
  })
  // As a stream it is sent as it is; a buffer would be hashed once more to be signed.
  return { body: () => Readable.from(chunks, { objectMode: false }), release: async () => undefined }
}

/** Never takes in more than was announced, and stops at the first byte that cannot be of its kind. */
async function readBody(
  request: IncomingMessage,
  { bytes, check, signal }: Incoming,
  keep: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  const stop = () => request.destroy(new Refused('exists'))
  signal.addEventListener('abort', stop, { once: true })
  let position = 0
  try {
    // Kept open when it is left early: the answer goes the same way.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (position + chunk.length > bytes) throw new Refused('too_large')
      if (!check.push(chunk)) throw new Refused('unsupported_type')
      await keep(chunk)
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

/** Writes chunks as they come, many at a time, while more of them come. */
class Writer {
  #chunks: Buffer[] = []
  #gathered = 0
  #position = 0
  #underWay: Promise<void> = Promise.resolve()

  constructor(private readonly file: FileHandle) {}

  async add(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk)
    this.#gathered += chunk.length
    if (this.#gathered >= atOnce) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    await this.#underWay
  }

  /** One write is under way at a time; its failure is told by the next, or by the end. */
  async #flush(): Promise<void> {
    if (this.#gathered === 0) return
    const [chunks, position] = [this.#chunks, this.#position]
    this.#position += this.#gathered
    this.#chunks = []
    this.#gathered = 0
    await this.#underWay
    this.#underWay = writeAll(this.file, chunks, position)
    // Awaited later: until then it must not count as one that nobody handles.
    this.#underWay.catch(() => undefined)
  }
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[], position: number): Promise<void> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  let { bytesWritten: written } = await file.writev(chunks, position)
  if (written === length) return
  // A disk that is nearly full takes a part of what it is given, and then fails.
  const whole = Buffer.concat(chunks)
  while (written < length) {
    const { bytesWritten } = await file.write(whole, written, length - written, position + written)
    written += bytesWritten
  }
}
