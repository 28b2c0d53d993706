import { UnavailableError } from './operation'
import { Turns } from './turns'

/** While others wait for bytes: how often transfers are looked at, and what a peer must take between two looks. */
const lookMs = 250
const slowBytes = 16 << 10

/** Looks in a row that find a transfer slow before it is cut off. Peers take bytes in pieces of up to 256 KiB. */
const patience = 4

/** How long a caller waits for bytes before it is refused. */
const waitMs = 10_000

interface Waiter {
  readonly bytes: number
  readonly admit: () => void
}

/**
 * A limit on the bytes that a process holds for requests at once. Callers wait while none are free; clients have their
 * turns. While a caller waits, transfers to slow peers are cut off to make room, so that peers that stop
 * reading never delay others by more than about a second.
 */
export class ByteBudget {
  readonly #waiting = new Turns<Waiter>()
  readonly #transfers = new Set<ByteLease>()
  #used = 0
  #timer: NodeJS.Timeout | undefined

  /** Up to `freely` bytes are granted without waiting. */
  constructor(
    readonly capacity: number,
    private readonly freely = 256 << 10,
  ) {}

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves to a lease of so many bytes, at most the whole budget. Rejects with UnavailableError after 10 s without
   * room, or when `signal` aborts. A few bytes never wait: their number is bounded by the number of requests. A caller
   * that holds a lease must not acquire another, for two that do may wait for each other.
   */
  async acquire(bytes: number, signal?: AbortSignal, client = ''): Promise<ByteLease> {
    if (bytes <= this.freely) return this.take(bytes)
    const wanted = Math.min(bytes, this.capacity)
    if (this.#waiting.size > 0 || this.#used + wanted > this.capacity) await this.#wait(wanted, signal, client)
    else this.#used += wanted
    return new ByteLease(wanted, this.#changes)
  }

  /** A lease of bytes that are held already, whether or not there is room. */
  take(bytes: number): ByteLease {
    this.#used += bytes
    return new ByteLease(bytes, this.#changes)
  }

  readonly #changes: LeaseChanges = {
    resized: (by) => {
      this.#used += by
      if (by < 0) this.#admit()
    },
    transferring: (lease) => this.#transfers.add(lease),
    ended: (lease) => this.#transfers.delete(lease),
  }

  #wait(bytes: number, signal: AbortSignal | undefined, client: string): Promise<void> {
    if (signal?.aborted) return Promise.reject(new UnavailableError('the caller has left'))
    this.#timer ??= setInterval(() => this.#cutSlow(), lookMs)
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        this.#waiting.remove(client, waiter)
        if (this.#waiting.size === 0) this.#stopLooking()
      }
      const refuse = (reason: string) => {
        end()
        reject(new UnavailableError(reason))
        this.#admit()
      }
      const leave = () => refuse('the caller has left')
      const timer = setTimeout(() => refuse('no room in the byte budget'), waitMs)
      const waiter: Waiter = {
        bytes,
        admit: () => {
          end()
          resolve()
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(client, waiter)
    })
  }

  #admit(): void {
    for (let next = this.#waiting.peek(); next !== undefined; next = this.#waiting.peek()) {
      if (this.#used + next.bytes > this.capacity) return
      this.#used += next.bytes
      this.#waiting.turn()
      next.admit()
    }
  }

  /** Cuts off transfers that stay slow, the largest first, until the caller whose turn it is has room. */
  #cutSlow(): void {
    const slow = [...this.#transfers].filter((lease) => lease.looksSlow(slowBytes, patience))
    slow.sort((a, b) => b.bytes - a.bytes)
    for (const lease of slow) {
      const first = this.#waiting.peek()
      if (first === undefined || this.#used + first.bytes <= this.capacity) return
      lease.cut()
    }
  }

  #stopLooking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const lease of this.#transfers) lease.forgetLooks()
  }
}

interface LeaseChanges {
  resized(by: number): void
  transferring(lease: ByteLease): void
  ended(lease: ByteLease): void
}

/** Bytes of a budget that one request holds. */
export class ByteLease {
  #bytes: number
  #moved = 0
  #movedAtLook = 0
  #slowLooks = 0
  #cut: (() => void) | null = null

  constructor(
    bytes: number,
    private readonly changes: LeaseChanges,
  ) {
    this.#bytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Bytes that the peer has taken so far. */
  get moved(): number {
    return this.#moved
  }

  /** Holds so many bytes from now on, whether or not there is room for more. */
  resize(bytes: number): void {
    const by = bytes - this.#bytes
    this.#bytes = bytes
    if (by !== 0) this.changes.resized(by)
  }

  /** From now on a peer takes the bytes at its own speed; `cut` must end the transfer and release the lease. */
  beginTransfer(cut: () => void): void {
    this.#cut = cut
    this.changes.transferring(this)
  }

  /** The peer is waited for no longer; the bytes are still held. */
  endTransfer(): void {
    this.changes.ended(this)
    this.#cut = null
  }

  /** The peer has moved so many more bytes. */
  move(bytes: number): void {
    this.#moved += bytes
  }

  release(): void {
    this.endTransfer()
    this.resize(0)
  }

  cut(): void {
    this.#cut?.()
  }

  /** Whether so many looks in a row found fewer than `bytes` taken since the one before. */
  looksSlow(bytes: number, looks: number): boolean {
    this.#slowLooks = this.#moved - this.#movedAtLook < bytes ? this.#slowLooks + 1 : 0
    this.#movedAtLook = this.#moved
    return this.#slowLooks >= looks
  }

  forgetLooks(): void {
    this.#slowLooks = 0
  }
}
