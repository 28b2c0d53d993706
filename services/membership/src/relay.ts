import type { Context } from './context'
import { type Errand, runErrand } from './errands'
import { claimOutbox } from './store/outbox'

export interface RelayConfig {
  readonly everyMs: number
  readonly leaseMs: number
}

const batch = 20

/** Runs what requests left in the outbox. Every process has one; a row is claimed by one of them at a time. */
export class Relay {
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(
    private readonly context: Context,
    private readonly config: RelayConfig,
  ) {}

  start(): void {
    this.#round = this.#runDue().then(() => {
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(), this.config.everyMs)
    })
  }

  /** Resolves once the round under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#round
  }

  async #runDue(): Promise<void> {
    try {
      let claimed = batch
      while (claimed === batch && !this.#stopped) {
        const rows = await claimOutbox(this.context.db, batch, this.config.leaseMs)
        await Promise.all(rows.map((row) => this.#run(row as Errand)))
        claimed = rows.length
      }
    } catch (error) {
      this.context.log.warn({ err: error }, 'the outbox could not be read')
    }
  }

  /** A failed errand keeps its row and is due again when its lease ends. */
  async #run(errand: Errand): Promise<void> {
    const { id, kind, worldId } = errand
    try {
      await runErrand(this.context, errand)
      this.context.log.info({ event: 'errand-done', id, kind, worldId }, 'the relay finished an errand')
    } catch (error) {
      this.context.log.warn({ err: error, id, kind, worldId }, 'an errand failed')
    }
  }
}
