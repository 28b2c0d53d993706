import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
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
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #underWay = false
  #again = false
  #stopped = false

  constructor(
    private readonly database: Database,
    private readonly submit: (worldId: string, write: Write) => Promise<Answer>,
    private readonly log: Log,
    private readonly everyMs: number,
  ) {}

  /** Looks at once; when a round is under way, once more after it. */
  start(): void {
    this.#again = this.#underWay
    if (this.#underWay || this.#stopped) return
    this.#underWay = true
    clearTimeout(this.#timer)
    this.#round = this.#rewriteAll().then(() => {
      this.#underWay = false
      if (this.#again) this.start()
      else if (!this.#stopped) this.#timer = setTimeout(() => this.start(), this.everyMs)
    })
  }

  /** Resolves once the write under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#round
  }

  async #rewriteAll(): Promise<void> {
    try {
      for (const departure of await listDepartures(this.database)) {
        if (!this.#stopped) await this.#rewrite(departure)
      }
    } catch (error) {
      this.log.warn({ err: error }, 'departures could not be looked for')
    }
  }

  async #rewrite(departure: Departure): Promise<void> {
    const { worldId, memberId: member } = departure
    try {
      for (let more = true; more && !this.#stopped; ) {
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
