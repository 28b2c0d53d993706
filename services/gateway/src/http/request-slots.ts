import { RefusalError, serverBusy } from '@worlds/domain/errors'
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

/**
 * The places in which requests are worked on. Who finds none free waits in order of arrival, for
 * so long at most; who leaves gives its place up. Nothing of a body is read before admission.
 */
export class RequestSlots {
  readonly #waiting = new Set<Waiter>()
  #inUse = 0
  #closed = false

  constructor(private readonly config: SlotConfig) {}

  get inUse(): number {
    return this.#inUse
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Resolves to the function that gives the place back. Throws `server_busy`, or `ClientLeft`. */
  async acquire(departure: { readonly signal: AbortSignal }): Promise<() => void> {
    if (this.#inUse < this.config.capacity && this.#waiting.size === 0) this.#inUse += 1
    else await this.#wait(departure.signal)
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#release()
    }
  }

  /** From now on nobody waits: who does is refused now, and who comes to find no slot free, at once. */
  close(): void {
    this.#closed = true
    for (const waiter of this.#waiting) waiter.refuse(new RefusalError(serverBusy()))
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#closed || this.#waiting.size >= this.config.queue) throw new RefusalError(serverBusy())
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', left)
        this.#waiting.delete(waiter)
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
      const timer = setTimeout(() => waiter.refuse(new RefusalError(serverBusy())), this.config.waitMs)
      signal.addEventListener('abort', left, { once: true })
      this.#waiting.add(waiter)
    })
  }

  /** Hands the place to whoever has waited longest. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#inUse -= 1
    else next.admit()
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
