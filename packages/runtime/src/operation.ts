import { status } from '@grpc/grpc-js'
import type { ByteBudget, ByteLease } from './byte-budget'
import type { Log } from './log'
import type { Metrics } from './metrics'

export interface RpcScope {
  readonly log: Log
  readonly metrics: Metrics
}

/** One method: from a request to the parts of its answer, of which a unary method has one. */
export interface Operation {
  readonly streamed: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each method has request and reply types of its own.
  run(request: any, context: CallContext): Promise<any[]>
}

/** One call while it is answered: holds the bytes of its reply until they are sent. */
export class CallContext {
  readonly #leases: ByteLease[] = []
  /** Made for calls that reserve alone. */
  #left: AbortController | undefined
  #hasLeft = false

  /** Acquires bytes of the budget, unless the caller leaves first; they are given back when the call ends. */
  async reserve(budget: ByteBudget, bytes: number): Promise<ByteLease> {
    this.#left ??= new AbortController()
    if (this.#hasLeft) this.#left.abort()
    const lease = await budget.acquire(bytes, this.#left.signal)
    this.#leases.push(lease)
    return lease
  }

  /** Ends what the call waits for: its caller has left. */
  leave(): void {
    this.#hasLeft = true
    this.#left?.abort()
  }

  /** The reply stands, and its client takes it at its own speed; `cut` ends that. */
  beginTransfer(cut: () => void): void {
    for (const lease of this.#leases) lease.beginTransfer(cut)
  }

  move(bytes: number): void {
    for (const lease of this.#leases) {
      lease.move(bytes)
      lease.resize(Math.max(0, lease.bytes - bytes))
    }
  }

  end(): void {
    for (const lease of this.#leases) lease.release()
  }
}

/** A method with one reply: measured, and faults logged once. */
export function unary<Request, Reply>(
  scope: RpcScope,
  method: string,
  handle: (request: Request, context: CallContext) => Promise<Reply>,
): Operation {
  const one = async (request: Request, context: CallContext) => [await handle(request, context)]
  return { streamed: false, run: measured(scope, method, one) }
}

/** A method whose answer travels in parts; nothing is sent before all parts stand. */
export function streamed<Request, Part>(
  scope: RpcScope,
  method: string,
  handle: (request: Request, context: CallContext) => Promise<Part[]>,
): Operation {
  return { streamed: true, run: measured(scope, method, handle) }
}

function measured<Request, Part>(
  { log, metrics }: RpcScope,
  method: string,
  handle: (request: Request, context: CallContext) => Promise<Part[]>,
): (request: Request, context: CallContext) => Promise<Part[]> {
  return async (request, context) => {
    const started = performance.now()
    let outcome = 'fault'
    try {
      const parts = await handle(request, context)
      outcome = 'ok'
      return parts
    } catch (error) {
      throw toStatus(log, method, error)
    } finally {
      metrics.rpcServed.observe({ method, outcome }, (performance.now() - started) / 1000)
    }
  }
}

/** A fault another process is told of: away (worth another try) or internal. Its cause stays in the log. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

function toStatus(log: Log, method: string, error: unknown): { code: status; details: string } {
  if (error instanceof UnavailableError || isConnectionLoss(error)) {
    log.warn({ err: error, method }, 'a dependency is away')
    return { code: status.UNAVAILABLE, details: 'a dependency is away' }
  }
  log.error({ err: error, method }, 'the call failed')
  return { code: status.INTERNAL, details: 'internal' }
}

/** The database refused, lost or starved the connection: nothing is wrong with the request itself. */
export function isConnectionLoss(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string }
  if (/^(08|57P|53)/.test(String(code)) || /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT)/.test(String(code))) return true
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout/.test(message)
}
