import { createHash } from 'node:crypto'
import { Metadata, status } from '@grpc/grpc-js'
import { channelV1 } from '@worlds/proto/load'
import { type Addressed, Replicas } from './replicas'
import type { ReplyParts } from './reply-parts'
import { channelOptions } from './rpc-options'
import { defaultStreamLifeMs, RpcError, RpcStreams } from './rpc-stream'
import { readServiceTokens } from './service-tokens'
import { channelCredentials, type TlsFiles } from './tls'

/** A service as the loaded definitions give it. */
interface ServiceClass<Methods extends object> {
  readonly service: Methods
}

type RequestOf<Method> = Method extends { requestSerialize: (request: infer Request) => Buffer } ? Request : never
type ReplyOf<Method> = Method extends { responseDeserialize: (bytes: Buffer) => infer Reply } ? Reply : never

interface Codec {
  readonly path: string
  readonly requestSerialize: (request: unknown) => Buffer
  readonly responseDeserialize: (bytes: Buffer) => unknown
}

export interface CallSettings {
  readonly deadlineMs: number
  /** Chooses the replica: calls with one key go to one process while it is well. '' for any. */
  readonly affinity: string
  /** Whether a second attempt can do no harm: reads, and writes that carry an idempotency key. */
  readonly repeatable: boolean
}

interface Replica extends Addressed {
  readonly streams: RpcStreams
}

export interface PeerOptions {
  readonly tls?: TlsFiles | null
  readonly streamLifeMs?: number
}

/** A reply that is taken part by part. `cancel` ends a reply of which no further part is taken. */
export interface StreamedReply<Part> {
  readonly first: Part
  rest(): AsyncIterable<Part>
  cancel(): void
}

/** How often a call is tried that may be repeated, or that never left. */
const attempts = 3

/** The replicas of one service, and the streams to them that all calls share. */
export class RpcPeer {
  readonly #replicas: Replicas<Replica>
  #calls = 0

  /** Addresses are `host:port`, or `dns:name:port` for all that the name stands for. */
  constructor(addresses: readonly string[], serviceToken: string, options: PeerOptions = {}) {
    const { tls = null, streamLifeMs = defaultStreamLifeMs } = options
    const metadata = new Metadata()
    const [first = ''] = readServiceTokens(serviceToken)
    metadata.set('x-service-token', first)
    const secured = channelCredentials(tls)
    this.#replicas = new Replicas(addresses, (address, name) => {
      const named = name === null ? {} : { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name }
      const connect = () => new channelV1.Channel(address, secured, { ...channelOptions, ...named })
      const streams = new RpcStreams(connect, metadata, streamLifeMs)
      return { address, streams, close: () => streams.close() }
    })
  }

  /** Sends a serialized request and collects the parts of its reply. */
  call(method: string, payload: Buffer, settings: CallSettings, signal?: AbortSignal): Promise<Buffer[]> {
    return this.#attempt(settings, (streams, leftMs) => streams.call(method, payload, leftMs, signal))
  }

  /** Sends a serialized request; resolves once the reply begins, whose parts are sent as they are taken. */
  read(method: string, payload: Buffer, settings: CallSettings, signal?: AbortSignal): Promise<ReplyParts> {
    return this.#attempt(settings, (streams, leftMs) => streams.read(method, payload, leftMs, signal))
  }

  async #attempt<T>(settings: CallSettings, send: (streams: RpcStreams, leftMs: number) => Promise<T>): Promise<T> {
    const deadline = Date.now() + settings.deadlineMs
    this.#calls += 1
    const affinity = settings.affinity || String(this.#calls)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { streams } = choose(await this.#replicas.list(), affinity, attempt - 1)
        return await send(streams, deadline - Date.now())
      } catch (error) {
        const mayRepeat = settings.repeatable || (error instanceof RpcError && !error.sent)
        const isOver = attempt >= attempts || Date.now() > deadline
        if (!mayRepeat || isOver || (error as { code?: unknown }).code !== status.UNAVAILABLE) throw error
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt * (0.8 + Math.random() * 0.4)))
      }
    }
  }

  close(): void {
    this.#replicas.close()
  }
}

/** Rendezvous hashing: the highest of hash(replica, key), passing over replicas known to be away. */
function choose(replicas: readonly Replica[], affinity: string, attempt: number): Replica {
  const [only] = replicas
  if (only === undefined) throw new RpcError(status.UNAVAILABLE, 'no address is known', false)
  if (replicas.length === 1) return only
  const ranked = replicas
    .map((replica) => ({ replica, rank: rank(replica.address, affinity) }))
    .sort((a, b) => (a.rank < b.rank ? 1 : -1))
    .map(({ replica }) => replica)
  const well = ranked.filter(({ streams }) => streams.isWell)
  const candidates = well.length > 0 ? well : ranked
  return candidates[attempt % candidates.length] ?? only
}

/** Calls one service's methods by name, as functions from request to reply or to the parts of one. */
export class RpcClient<Methods extends object> {
  readonly #peer: RpcPeer

  constructor(
    private readonly definition: ServiceClass<Methods>,
    peer: RpcPeer,
  ) {
    this.#peer = peer
  }

  async unary<Name extends keyof Methods & string>(
    name: Name,
    request: RequestOf<Methods[Name]>,
    settings: CallSettings,
  ): Promise<ReplyOf<Methods[Name]>> {
    const { path, requestSerialize, responseDeserialize } = this.#method(name)
    const [reply = Buffer.alloc(0)] = await this.#peer.call(path, requestSerialize(request), settings)
    return responseDeserialize(reply) as ReplyOf<Methods[Name]>
  }

  /** `signal` ends the call when nobody waits for it any longer. */
  async parts<Name extends keyof Methods & string>(
    name: Name,
    request: RequestOf<Methods[Name]>,
    settings: CallSettings,
    signal?: AbortSignal,
  ): Promise<ReplyOf<Methods[Name]>[]> {
    const { path, requestSerialize, responseDeserialize } = this.#method(name)
    const parts = await this.#peer.call(path, requestSerialize(request), settings, signal)
    return parts.map((part) => responseDeserialize(part) as ReplyOf<Methods[Name]>)
  }

  /** The reply's first part, and the rest as it is taken. */
  async read<Name extends keyof Methods & string>(
    name: Name,
    request: RequestOf<Methods[Name]>,
    settings: CallSettings,
    signal?: AbortSignal,
  ): Promise<StreamedReply<ReplyOf<Methods[Name]>>> {
    const { path, requestSerialize, responseDeserialize } = this.#method(name)
    const parts = await this.#peer.read(path, requestSerialize(request), settings, signal)
    const decode = (part: Buffer) => responseDeserialize(part) as ReplyOf<Methods[Name]>
    const first = await parts.next()
    return {
      first: decode(first ?? Buffer.alloc(0)),
      async *rest() {
        for await (const part of parts) yield decode(part)
      },
      cancel: () => parts.cancel(),
    }
  }

  #method(name: keyof Methods & string): Codec {
    return this.definition.service[name] as Codec
  }
}

function rank(address: string, key: string): string {
  return createHash('md5').update(`${address}\0${key}`).digest('hex')
}

/** A fault that another attempt may not meet: the replica is away or did not answer in time. */
export function isAway(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED || code === status.RESOURCE_EXHAUSTED
}

/** The caller itself gave the call up. */
export function isCancelled(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === status.CANCELLED
}
