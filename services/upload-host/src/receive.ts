/** Takes a body in, judging it as it streams by: into memory while there is some left, else into a file that goes with it. */
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { InOneGo } from '@worlds/storage/in-one-go'
import type { StreamCheck } from './check/checks'
import { isSoundZip } from './check/zip'
import type { Context } from './context'
import { FileWriter } from './file-writer'
import { Refused } from './refusals'
import type { Slot } from './slabs'

/** Larger pieces would each be new memory to the process: their page faults cost more than they save. */
const readAtOnce = 1 << 16

export interface Received {
  /** The bytes from the beginning, each time it is called. */
  body(): Readable
  /** `isRead` when whoever got the body has read it to its end. */
  release(isRead: boolean): Promise<void>
}

interface Incoming {
  readonly bytes: number
  readonly check: StreamCheck
  /** A zip is judged as a whole, and for that as a file. */
  readonly isZip: boolean
  /** Aborted when the claim is lost: nothing more is taken in then. */
  readonly signal: AbortSignal
}

/** The client has left, or sent less than it announced. */
export class BodyEnded extends Error {
  override readonly name = 'BodyEnded'
}

export async function receive(
  { directory, memory }: Context,
  request: IncomingMessage,
  token: string,
  incoming: Incoming,
): Promise<Received> {
  const slot = incoming.isZip ? null : memory.take(incoming.bytes)
  if (slot !== null) return receiveInMemory(slot, request, incoming)
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
    const writer = new FileWriter(file, incoming.bytes)
    await readBody(request, incoming, (chunk) => writer.add(chunk))
    await writer.end()
    if (incoming.isZip && !(await isSoundZip(path, incoming.bytes))) throw new Refused('unsupported_type')
    await forget()
  } catch (error) {
    await Promise.all([forget(), file.close()])
    if (error instanceof Refused || error instanceof BodyEnded) throw error
    // The disk is full, say: nothing is stored, and the ticket is as good as before.
    throw new Refused('write_failed', undefined, { cause: error })
  }
  return readingFrom(file)
}

/** Whoever reads may have been cut off and not have noticed yet: its end is nobody's fault. */
function readingFrom(file: FileHandle): Received {
  const streams: Readable[] = []
  return {
    body() {
      const stream = file.createReadStream({ start: 0, autoClose: false, highWaterMark: readAtOnce })
      streams.push(stream.on('error', () => undefined))
      return stream
    },
    async release() {
      for (const stream of streams) stream.destroy()
      await file.close()
    },
  }
}

async function receiveInMemory(slot: Slot, request: IncomingMessage, incoming: Incoming): Promise<Received> {
  try {
    await readBody(request, incoming, (chunk) => {
      slot.add(chunk)
      return undefined
    })
  } catch (error) {
    slot.give(true)
    throw error
  }
  let readers = 0
  return {
    body() {
      readers += 1
      // As a stream it is sent as it is; a buffer would be hashed once more to be signed.
      return new InOneGo(slot.pieces())
    },
    async release(isRead) {
      // One that has failed may have left a connection on which it is still sent.
      slot.give(readers === 0 || (readers === 1 && isRead))
    },
  }
}

/**
 * Never takes in more than was announced, and stops at the first byte that cannot be of its kind. By
 * events, for a body comes in hundreds of pieces; the request stays open when it is left early: the
 * answer goes the same way.
 */
function readBody(request: IncomingMessage, { bytes, check, signal }: Incoming, keep: Keep): Promise<void> {
  return new Promise((resolve, reject) => {
    let position = 0
    const leave = () => {
      request.off('data', take).off('end', end).off('error', cut).off('close', cut)
    }
    const fail = (error: unknown) => {
      leave()
      request.pause()
      reject(error)
    }
    const take = (chunk: Buffer) => {
      if (signal.aborted) return fail(new Refused('exists'))
      if (position + chunk.length > bytes) return fail(new Refused('too_large'))
      if (!check.push(chunk)) return fail(new Refused('unsupported_type'))
      position += chunk.length
      const kept = keep(chunk)
      if (kept === undefined) return
      request.pause()
      kept.then(() => request.resume(), fail)
    }
    const end = () => {
      leave()
      if (position < bytes) reject(new BodyEnded('the body ended early'))
      else if (!check.end()) reject(new Refused('unsupported_type'))
      else resolve()
    }
    const cut = () => fail(new BodyEnded('the body ended early'))
    // Who has left already will never be heard of again.
    if (request.destroyed) return cut()
    request.on('data', take).once('end', end).once('error', cut).once('close', cut)
  })
}

/** Who it is that is waited for, if anybody. */
type Keep = (chunk: Buffer) => Promise<void> | undefined
