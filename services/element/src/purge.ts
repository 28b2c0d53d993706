import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import { Rounds } from '@worlds/runtime/rounds'
import { beginning, findClosedWorlds, purgeBatch } from './store/purge'

/**
 * Removes what deleted worlds leave. Every process has one; a batch claims its world. What a process was at when it
 * died is found again by the next that looks, for the head row says until the end that its world waits.
 */
export class Purge {
  readonly #rounds: Rounds

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    everyMs: number,
    private readonly removed: (rows: number) => void,
  ) {
    this.#rounds = new Rounds(() => this.#purgeWaiting(), everyMs)
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  async #purgeWaiting(): Promise<void> {
    try {
      let worlds = await findClosedWorlds(this.database, null)
      for (let last = worlds.at(-1); last !== undefined && !this.#rounds.stopped; last = worlds.at(-1)) {
        for (const worldId of worlds) await this.#purgeWorld(worldId)
        worlds = await findClosedWorlds(this.database, last)
      }
    } catch (error) {
      this.log.warn({ err: error }, 'closed worlds could not be looked for')
    }
  }

  /** A world that fails waits for the next round, and does not keep the others waiting. */
  async #purgeWorld(worldId: string): Promise<void> {
    try {
      let progress = beginning
      while (!progress.done && !this.#rounds.stopped) {
        const began = performance.now()
        const from = progress
        const next = await this.database.transaction((tx) => purgeBatch(tx, worldId, from))
        if (next === null) return
        progress = next
        this.removed(progress.rows)
        if (progress.done) this.log.info({ event: 'world-purged', worldId }, 'nothing is left of a deleted world')
        // Half of the time is others': a large world must not take a connection's worth of the database for minutes.
        await sleep(performance.now() - began)
      }
    } catch (error) {
      this.log.warn({ err: error, worldId }, 'a deleted world could not be purged')
    }
  }
}
