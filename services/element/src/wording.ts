import { readBody } from '@worlds/domain/element-body'
import { elementWords } from '@worlds/domain/words'
import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import { Rounds } from '@worlds/runtime/rounds'
import { categoryOf } from './rpc/scope'
import { findWords } from './store/words'

/** Finds out what words search finds those elements by that were written without: after an upgrade, none otherwise. */
export class Wording {
  readonly #rounds: Rounds

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    everyMs: number,
  ) {
    this.#rounds = new Rounds(() => this.#work(), everyMs)
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  async #work(): Promise<void> {
    try {
      let found = 0
      for (let more = true; more && !this.#rounds.stopped; ) {
        const count = await findWords(this.database, ({ type, body }) => elementWords(categoryOf(type), readBody(body)))
        found += count
        more = count > 0
      }
      if (found > 0) this.log.info({ found }, 'elements are found by their words now')
    } catch (error) {
      this.log.warn({ err: error }, 'elements wait for their words')
    }
  }
}
