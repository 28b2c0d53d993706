import { type ClientDuplexStream, connectivityState, type Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Frame, Frame__Output } from '@worlds/proto/generated/worlds/channel/v1/Frame'
import type { Frames, Frames__Output } from '@worlds/proto/generated/worlds/channel/v1/Frames'
import type { channelV1 } from '@worlds/proto/load'
import { FrameSender } from './frame-sender'
import { ReplyParts, replyWindow } from './reply-parts'
import { activeTraceparent } from './tracing'

type ChannelClient = InstanceType<typeof channelV1.Channel>

/** A call that was not answered, with the gRPC status that says why. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  constructor(
    readonly code: status,
    message: string,
    /** The peer may have heard of the call. */
    readonly sent = true,
  ) {
    super(message)
  }
}

const unreached = () => new RpcError(status.UNAVAILABLE, 'the peer cannot be reached', false)

/** A call under way: what is done with the parts of its reply. */
interface Pending {
  /** What has come of a part that is cut into several frames. */
  readonly pieces: Buffer[]
  readonly timer: NodeJS.Timeout
  readonly add: (part: Buffer, isLast: boolean) => void
  readonly fail: (error: RpcError) => void
}

/**
 * How long one stream takes new calls. Well below the age at which a server closes connections, so
 * that calls never meet the end of theirs and new replicas get their share.
 */
export const defaultStreamLifeMs = 30_000

/** How long a call waits for a peer that is not connected, as while it restarts. */
const connectMs = 1_000

/** How often a stream is opened at once after the one before met the end of its connection. */
const openings = 5

/** Calls to one address over one stream at a time. */
export class RpcStreams {
  #current: RpcStream | null = null
  #opening: Promise<RpcStream> | null = null

  #client: ChannelClient

  constructor(
    private readonly connect: () => ChannelClient,
    private readonly metadata: Metadata,
    private readonly streamLifeMs: number,
  ) {
    this.#client = connect()
  }

  /** False while the peer is known to be away. */
  get isWell(): boolean {
    return this.#client.getChannel().getConnectivityState(true) !== connectivityState.TRANSIENT_FAILURE
  }

  /** Resolves to all parts of the reply. */
  async call(method: string, payload: Buffer, deadlineMs: number, signal?: AbortSignal): Promise<Buffer[]> {
    const stream = this.#current?.takesCalls ? this.#current : await this.#opened()
    return stream.call(method, payload, deadlineMs, signal)
  }

  /** Resolves once the first part of the reply has come; the rest is sent as it is taken. */
  async read(method: string, payload: Buffer, deadlineMs: number, signal?: AbortSignal): Promise<ReplyParts> {
    const stream = this.#current?.takesCalls ? this.#current : await this.#opened()
    return stream.read(method, payload, deadlineMs, signal)
  }

  #opened(): Promise<RpcStream> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #open(): Promise<RpcStream> {
    for (let tries = 1; tries <= openings; tries += 1) {
      await this.#connected()
      const client = this.#client
      const stream = new RpcStream(client.Open(this.metadata), this.streamLifeMs)
      const answer = await stream.answer
      if (answer === 'silence') this.#abandon(client)
      if (answer === 'accepted') {
        this.#current = stream
        return stream
      }
    }
    throw unreached()
  }

  async #connected(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#client.waitForReady(Date.now() + connectMs, (error) => {
        if (error) reject(unreached())
        else resolve()
      })
    })
  }

  /** The connection stands and nothing comes over it: its peer may be gone without a word. */
  #abandon(client: ChannelClient): never {
    if (this.#client === client) this.#client = this.connect()
    client.close()
    throw unreached()
  }

  close(): void {
    this.#current?.retire()
    this.#client.close()
  }
}

class RpcStream {
  readonly #pending = new Map<number, Pending>()
  readonly #sender: FrameSender
  readonly #retireAt: number
  #nextId = 1
  #retired = false
  #heardAt = 0
  /**
   * A stream that is opened just as its connection reaches its age is refused: no call is sent
   * before the server has said that it takes it, so that a refusal can do no harm.
   */
  readonly answer: Promise<'accepted' | 'refused' | 'silence'>

  constructor(
    private readonly stream: ClientDuplexStream<Frames, Frames__Output>,
    lifeMs: number,
  ) {
    this.#retireAt = Date.now() + lifeMs
    this.#sender = new FrameSender(stream)
    this.answer = new Promise((resolve) => {
      const settle = (answer: 'accepted' | 'refused') => () => {
        clearTimeout(timer)
        resolve(answer)
      }
      const timer = setTimeout(() => {
        resolve('silence')
        stream.cancel()
      }, connectMs)
      stream.once('error', settle('refused')).once('end', settle('refused')).once('metadata', settle('accepted'))
    })
    stream.on('data', ({ frames }: Frames__Output) => {
      this.#heardAt = performance.now()
      for (const frame of frames) this.#take(frame)
    })
    stream.on('error', (error: ServiceError) => this.#fail(error.code, error.details))
    stream.on('end', () => this.#fail(status.UNAVAILABLE, 'the stream ended'))
  }

  get takesCalls(): boolean {
    if (!this.#retired && Date.now() > this.#retireAt) this.retire()
    return !this.#retired
  }

  call(method: string, payload: Buffer, deadlineMs: number, signal?: AbortSignal): Promise<Buffer[]> {
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      const add = (part: Buffer, isLast: boolean) => {
        parts.push(part)
        if (isLast) resolve(parts)
      }
      this.#begin({ method, payload }, deadlineMs, signal, { add, fail: reject })
    })
  }

  read(method: string, payload: Buffer, deadlineMs: number, signal?: AbortSignal): Promise<ReplyParts> {
    return new Promise((resolve, reject) => {
      const link = {
        grant: (bytes: number) => this.#sender.send({ id, credit: bytes }),
        abandon: (code: status) => this.#abandon(id, code, 'the reply was given up'),
      }
      const parts = new ReplyParts(link, deadlineMs)
      const add = (part: Buffer, isLast: boolean) => {
        parts.add(part, isLast)
        resolve(parts)
      }
      const fail = (error: RpcError) => {
        parts.fail(error)
        reject(error)
      }
      const id = this.#begin({ method, payload, window: replyWindow }, deadlineMs, signal, { add, fail })
    })
  }

  /** Sends a call. Its deadline is the first part's: how long the rest takes is up to who takes it. */
  #begin(
    request: Pick<Frame, 'method' | 'payload' | 'window'>,
    deadlineMs: number,
    signal: AbortSignal | undefined,
    reply: Pick<Pending, 'add' | 'fail'>,
  ): number {
    const id = this.#nextId
    // It failed, or was ended, between its opening and this call.
    if (this.#retired) {
      reply.fail(unreached())
      return id
    }
    if (signal?.aborted) {
      reply.fail(new RpcError(status.CANCELLED, 'the caller has left', false))
      return id
    }
    this.#nextId += 1
    const sentAt = performance.now()
    const timer = setTimeout(() => {
      // Nothing was heard all that time: a new stream finds out whether the peer is there.
      if (this.#heardAt < sentAt) this.retire()
      this.#abandon(id, status.DEADLINE_EXCEEDED, 'no answer in time')
    }, deadlineMs)
    this.#pending.set(id, { pieces: [], timer, ...reply })
    const leave = () => this.#abandon(id, status.CANCELLED, 'the caller has left')
    signal?.addEventListener('abort', leave, { once: true })
    this.#sender.send({ id, ...request, traceparent: activeTraceparent() })
    return id
  }

  #abandon(id: number, code: status, message: string): void {
    const pending = this.#settle(id)
    if (pending === undefined) return
    this.#sender.send({ id, cancel: true })
    pending.fail(new RpcError(code, message))
  }

  /** Takes no new call; ends when the last one is answered. */
  retire(): void {
    this.#retired = true
    if (this.#pending.size === 0) this.stream.end()
  }

  #take({ id, payload, code, more, partial }: Frame__Output): void {
    if (id === 0) {
      this.retire()
      return
    }
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    if (partial) {
      pending.pieces.push(payload)
      return
    }
    clearTimeout(pending.timer)
    if (!more) this.#settle(id)
    if (code !== status.OK) {
      pending.fail(new RpcError(code, 'the call failed'))
      return
    }
    const part = pending.pieces.length === 0 ? payload : Buffer.concat([...pending.pieces.splice(0), payload])
    pending.add(part, !more)
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    clearTimeout(pending.timer)
    this.#pending.delete(id)
    if (this.#retired && this.#pending.size === 0) this.stream.end()
    return pending
  }

  #fail(code: status, details: string): void {
    this.#retired = true
    for (const { timer, fail } of this.#pending.values()) {
      clearTimeout(timer)
      fail(new RpcError(code, details))
    }
    this.#pending.clear()
  }
}
