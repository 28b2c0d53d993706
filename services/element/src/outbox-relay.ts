import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import type { Producer } from '@worlds/runtime/queue-ends'
import { Rounds } from '@worlds/runtime/rounds'
import { claimOutbox, deleteOutbox, type OutboxRow } from './store/outbox'

export interface OutboxConfig {
  readonly everyMs: number
  /** How long a row that was taken and not told is left alone. */
  readonly leaseMs: number
}

const batch = 20

/**
 * Puts what commits have left in the outbox on its queue. Every process has one; a row is taken by one of them at a
 * time. It goes once its job is on the queue, so that what happens in between has it told again, under the same id.
 */
export class OutboxRelay {
  readonly #rounds: Rounds
  #failing = false

  constructor(
    private readonly database: Database,
    private readonly queue: Pick<Producer<'element-deleted'>, 'add'>,
    private readonly failpoints: Failpoints,
    private readonly log: Log,
    private readonly config: OutboxConfig,
  ) {
    this.#rounds = new Rounds(() => this.#tellDue(), config.everyMs)
  }

  start(): void {
    this.#rounds.start()
  }

  /** Says that there is something to tell. While Redis is away it waits for the next round with the rest. */
  wake(): void {
    if (!this.#failing) this.#rounds.start()
  }

  stop(): Promise<void> {
    return this.#rounds.stop()
  }

  /** What could not be told keeps its row, and is due again when its lease ends. */
  async #tellDue(): Promise<void> {
    try {
      for (let claimed = batch; claimed === batch && !this.#rounds.stopped; ) {
        const rows = await claimOutbox(this.database, batch, this.config.leaseMs)
        for (const row of rows) await this.#tell(row)
        claimed = rows.length
      }
      this.#failing = false
    } catch (error) {
      this.#failing = true
      this.log.warn({ err: error }, 'what the outbox holds could not be told')
    }
  }

  async #tell(row: OutboxRow): Promise<void> {
    await this.failpoints.reach('outbox.claimed')
    await this.queue.add(row.id, row.job)
    await this.failpoints.reach('outbox.told')
    await deleteOutbox(this.database, row)
  }
}
