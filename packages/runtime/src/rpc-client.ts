import { createHash } from 'node:crypto'
import {
  type CallOptions,
  type Client,
  type ClientReadableStream,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { channelOptions } from './rpc-server'

type ClientConstructor<T extends Client> = new (
  address: string,
  creds: ReturnType<typeof credentials.createInsecure>,
  options: object,
) => T

export interface CallSettings {
  readonly deadlineMs: number
  /** Chooses the replica: calls with one key go to one process while it is well. */
  readonly affinity: string
  /** Whether a second attempt can do no harm: reads, and writes that carry an idempotency key. */
  readonly repeatable: boolean
}

type UnaryMethod<Request, Reply> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, reply?: Reply) => void,
) => unknown

type StreamMethod<Request, Part> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
) => ClientReadableStream<Part>

/**
 * Calls one service over its replicas. Callers see a function from request to reply, whether it
 * travels as a unary call or as a stream of parts.
 */
export class RpcClient<T extends Client> {
  readonly #replicas: { address: string; client: T }[]
  readonly #metadata = new Metadata()

  constructor(constructor: ClientConstructor<T>, addresses: readonly string[], serviceToken: string) {
    this.#metadata.set('x-service-token', serviceToken)
    this.#replicas = addresses.map((address) => ({
      address,
      client: new constructor(address, credentials.createInsecure(), channelOptions),
    }))
  }

  unary<Request, Reply>(pick: (client: T) => UnaryMethod<Request, Reply>, request: Request, settings: CallSettings): Promise<Reply> {
    return this.#attempt(settings, (client, deadline) => {
      return new Promise<Reply>((resolve, reject) => {
        pick(client).call(client, request, this.#metadata, { deadline }, (error, reply) =>
          error ? reject(error) : resolve(reply as Reply),
        )
      })
    })
  }

  /** Collects a streamed reply whole. `signal` ends the call when nobody waits for it any longer. */
  parts<Request, Part>(
    pick: (client: T) => StreamMethod<Request, Part>,
    request: Request,
    settings: CallSettings,
    signal?: AbortSignal,
  ): Promise<Part[]> {
    return this.#attempt(settings, (client, deadline) => {
      return new Promise<Part[]>((resolve, reject) => {
        const parts: Part[] = []
        const stream = pick(client).call(client, request, this.#metadata, { deadline })
        const cancel = () => stream.cancel()
        signal?.addEventListener('abort', cancel, { once: true })
        stream.on('data', (part: Part) => parts.push(part))
        stream.on('error', (error) => {
          signal?.removeEventListener('abort', cancel)
          reject(error)
        })
        stream.on('end', () => {
          signal?.removeEventListener('abort', cancel)
          resolve(parts)
        })
      })
    })
  }

  close(): void {
    for (const { client } of this.#replicas) client.close()
  }

  async #attempt<R>(settings: CallSettings, call: (client: T, deadline: number) => Promise<R>): Promise<R> {
    const deadline = Date.now() + settings.deadlineMs
    const attempts = settings.repeatable ? 3 : 1
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call(this.#choose(settings.affinity, attempt - 1), deadline)
      } catch (error) {
        if (attempt >= attempts || (error as ServiceError).code !== status.UNAVAILABLE || Date.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt * (0.8 + Math.random() * 0.4)))
      }
    }
  }

  /** Rendezvous hashing: the highest of hash(replica, key), passing over replicas known to be away. */
  #choose(affinity: string, attempt: number): T {
    const [only] = this.#replicas
    if (only === undefined) throw new Error('no address is configured')
    if (this.#replicas.length === 1) return only.client
    const ranked = this.#replicas
      .map((replica) => ({ replica, rank: rank(replica.address, affinity) }))
      .sort((a, b) => (a.rank < b.rank ? 1 : -1))
    const well = ranked.filter(({ replica }) => isWell(replica.client))
    const candidates = well.length > 0 ? well : ranked
    return (candidates[attempt % candidates.length] as (typeof ranked)[number]).replica.client
  }
}

function rank(address: string, key: string): string {
  return createHash('md5').update(`${address}\0${key}`).digest('hex')
}

function isWell(client: Client): boolean {
  return client.getChannel().getConnectivityState(true) !== connectivityState.TRANSIENT_FAILURE
}

/** A fault that another attempt may not meet: the replica is away or did not answer in time. */
export function isAway(error: unknown): boolean {
  const code = (error as Partial<ServiceError> | null)?.code
  return code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED || code === status.RESOURCE_EXHAUSTED || code === status.CANCELLED
}
