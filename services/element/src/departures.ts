import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import { Rounds } from '@worlds/runtime/rounds'
import { type Answer, service, type Write } from './domain/intent'
import { createdBy, type Departure, endDeparture, listDepartures } from './store/departures'

/** Elements that one write takes the name off: a world's other writers wait no longer than for a small bulk. */
const batch = 100

/**
 * Takes the names of members whose accounts are gone off what they made, each element with a new
 * place, so that whoever follows the world hears of it (B32). Reads leave the names out from the
 * start. Two processes at one departure do no harm: the second finds less to do.
 */
export class Departures {
  readonly #rounds: Rounds

  constructor(
    private readonly database: Database,
    private readonly submit: (worldId: string, write: Write) => Promise<Answer>,
    private readonly log: Log,
    everyMs: number,
  ) {
    this.#rounds = new Rounds(() => this.#rewriteAll(), everyMs)
  }

  start(): void {
    this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  async #rewriteAll(): Promise<void> {
    try {
      for (const departure of await listDepartures(this.database)) {
        if (!this.#rounds.stopped) await this.#rewrite(departure)
      }
    } catch (error) {
      this.log.warn({ err: error }, 'departures could not be looked for')
    }
  }

  async #rewrite(departure: Departure): Promise<void> {
    const { worldId, memberId: member } = departure
    try {
      for (let more = true; more && !this.#rounds.stopped; ) {
        const elements = await createdBy(this.database, departure, batch)
        more = elements.length > 0
        if (!more) return await endDeparture(this.database, departure)
        const intent = { kind: 'forget', member, elements } as const
        const answer = await this.submit(worldId, { actor: service, intent, receipt: null })
        // The world is gone meanwhile: its purge takes the rest.
        if (answer.kind === 'ask-again') return
      }
    } catch (error) {
      this.log.warn({ err: error, worldId, member }, 'what a departed member made still names it')
    }
  }
}
