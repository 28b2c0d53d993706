/** Work that is to be done though its request is over: tried again for a while, and once more at the process's end. */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@worlds/runtime/log'

/** Waits grow from the first to the last. */
const waits = { firstMs: 100, lastMs: 5_000 }
/** While a dependency is away every request may leave some: what is more than this ends by itself. */
const most = 1_000

export class Afterwards {
  readonly #underWay = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(
    private readonly log: Log,
    private readonly forMs: number,
  ) {
    // All that wait listen to it.
    setMaxListeners(0, this.#closing.signal)
  }

  /** The work may be done any number of times; `failed` is logged with the last error should it never be. */
  do(work: () => Promise<unknown>, failed: string, facts: Record<string, unknown>): void {
    if (this.#underWay.size >= most) {
      this.log.warn(facts, failed)
      return
    }
    const trying = this.#try(work)
      .catch((error: unknown) => this.log.warn({ err: error, ...facts }, failed))
      .finally(() => this.#underWay.delete(trying))
    this.#underWay.add(trying)
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    const began = Date.now()
    for (let waitMs = waits.firstMs; ; waitMs = Math.min(2 * waitMs, waits.lastMs)) {
      const isLast = this.#closing.signal.aborted || Date.now() - began > this.forMs
      try {
        await work()
        return
      } catch (error) {
        if (isLast) throw error
      }
      await sleep(waitMs, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    }
  }

  /** What is not done yet is tried once more. */
  async close(): Promise<void> {
    this.#closing.abort()
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }
}
