import { RefusalError, serverBusy } from '@worlds/domain/errors'
import { Turns } from '@worlds/runtime/turns'
import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'

export interface SlotConfig {
  readonly capacity: number
  readonly waitMs: number
  /** Requests that may wait at once; beyond that they are refused without waiting (D46). */
  readonly queue: number
}

interface Waiter {
  readonly admit: () => void
  readonly refuse: (error: unknown) => void
}

interface Leaver {
  readonly signal: AbortSignal
}

/**
 * A limit on the requests that are worked on at once. A request that finds no free slot waits, for a limited time. Free
 * slots go to the waiting clients in turn, and to each client's requests in order of arrival: a client with hundreds of
 * requests delays others by one of them.
 */
export class RequestSlots {
  readonly #waiting = new Turns<Waiter>()
  #inUse = 0
  #closed = false

  constructor(readonly config: SlotConfig) {}

  get inUse(): number {
    return this.#inUse
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves to the function that gives the slot back. Rejects with `server_busy`, or ClientLeft. */
  async acquire(departure: Leaver, client = '', waitMs = this.config.waitMs): Promise<() => void> {
    if (this.#inUse < this.config.capacity && this.#waiting.size === 0) this.#inUse += 1
    else await this.#wait(departure.signal, client, waitMs)
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#release()
    }
  }

  /** Refuses all that wait, and from now on whatever finds no free slot. */
  close(): void {
    this.#closed = true
    for (const waiter of this.#waiting.all()) waiter.refuse(new RefusalError(serverBusy()))
  }

  #wait(signal: AbortSignal, client: string, waitMs: number): Promise<void> {
    if (this.#closed || this.#waiting.size >= this.config.queue) throw new RefusalError(serverBusy())
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', left)
        this.#waiting.remove(client, waiter)
      }
      const waiter: Waiter = {
        admit() {
          done()
          resolve()
        },
        refuse(error) {
          done()
          reject(error)
        },
      }
      const left = () => waiter.refuse(new ClientLeft())
      const timer = setTimeout(() => waiter.refuse(new RefusalError(serverBusy())), waitMs)
      signal.addEventListener('abort', left, { once: true })
      this.#waiting.add(client, waiter)
    })
  }

  #release(): void {
    const next = this.#waiting.peek()
    if (next === undefined) {
      this.#inUse -= 1
      return
    }
    this.#waiting.turn()
    next.admit()
  }
}

/** One request's slot: given back while the request waits for its client, and acquired again to go on. */
export class Slot {
  #giveBack: (() => void) | null = null
  #waitedMs = 0

  constructor(
    private readonly slots: RequestSlots,
    readonly departure: Leaver,
    readonly client: string,
  ) {}

  /** All waits before a reply begins take at most the slots' waiting time together. */
  async acquire(): Promise<void> {
    const began = performance.now()
    const leftMs = Math.max(0, this.slots.config.waitMs - this.#waitedMs)
    try {
      this.#giveBack = await this.slots.acquire(this.departure, this.client, leftMs)
    } finally {
      this.#waitedMs += performance.now() - began
    }
  }

  /** Each wait of a reply that has begun may take the slots' waiting time. */
  async acquireAgain(): Promise<void> {
    this.#waitedMs = 0
    await this.acquire()
  }

  release(): void {
    this.#giveBack?.()
    this.#giveBack = null
  }
}

/** Nobody waits for the answer any longer. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

export function watchSlots(slots: RequestSlots, config: SlotConfig, registry: Registry): Counter {
  const registers = [registry]
  new Gauge({ name: 'request_slots_capacity', help: 'Request slots there are.', registers }).set(config.capacity)
  new Gauge({
    name: 'request_slots_in_use',
    help: 'Request slots in use.',
    registers,
    collect() {
      this.set(slots.inUse)
    },
  })
  new Gauge({
    name: 'request_slots_waiting',
    help: 'Requests that wait for a slot.',
    registers,
    collect() {
      this.set(slots.waiting)
    },
  })
  return new Counter({ name: 'request_slots_refused_total', help: 'Requests refused for want of a slot.', registers })
}
