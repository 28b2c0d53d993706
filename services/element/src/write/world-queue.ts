/**
 * All writes of one world go through one queue in the process: gather, load, decide, commit. While
 * a commit is under way, what arrives gathers into the next batch. A commit stands only if the
 * world is still what its decisions saw; so other processes may write the same world, and nothing
 * is answered before the commit that it was decided beside.
 */
import { apiError } from '@worlds/domain/errors'
import { isConnectionLoss, UnavailableError } from '@worlds/runtime/operation'
import { sqlState } from '@worlds/runtime/postgres'
import { activeSpan, inLinkedSpan, type Span } from '@worlds/runtime/tracing'
import { type Answer, refused, type Write } from '../domain/intent'
import { overtaken } from '../store/commit'
import { type Known, nothingKnown, type Round, UnansweredCommit } from './commit-world'
import { type RoundScope, runLockedRound, runRound, settleUnanswered } from './round'

interface Waiting {
  readonly write: Write
  readonly weight: number
  /** When it came, in milliseconds of the process's own clock. */
  readonly since: number
  /** Of the trace that the write belongs to. */
  readonly span: Span | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Writes, and rows of bulk writes, that one batch takes at most. */
const batchWeight = 128

/** Lost commits after which the lock is taken first, so that progress is certain. */
const lossesBeforeLock = 2

/** Errors of the database that a batch is decided again after. */
const retries = 5

export class WorldQueue {
  readonly #waiting: Waiting[] = []
  #known: Known = nothingKnown
  #running = false
  #usedAt = Date.now()

  constructor(
    private readonly scope: RoundScope,
    private readonly worldId: string,
  ) {}

  submit(write: Write): Promise<Answer> {
    this.#usedAt = Date.now()
    return new Promise((resolve, reject) => {
      const weight = write.intent.kind === 'bulk' ? write.intent.items.length : 1
      this.#waiting.push({ write, weight, since: performance.now(), span: activeSpan(), resolve, reject })
      if (!this.#running) void this.#drain()
    })
  }

  isIdleSince(time: number): boolean {
    return !this.#running && this.#usedAt < time
  }

  async #drain(): Promise<void> {
    this.#running = true
    // Lets everything that arrived in this turn of the event loop into the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#settle(this.#gather())
    this.#running = false
  }

  #gather(): Waiting[] {
    let count = 0
    let weight = 0
    for (const { weight: next } of this.#waiting) {
      if (count > 0 && weight + next > batchWeight) break
      weight += next
      count += 1
    }
    const now = performance.now()
    const batch = this.#waiting.splice(0, count)
    for (const { since } of batch) this.scope.metrics.waited((now - since) / 1000)
    return batch
  }

  /** Brings every write of the batch to an answer, or back into the queue. */
  async #settle(batch: readonly Waiting[]): Promise<void> {
    for (let losses = 0, errors = 0; ; ) {
      try {
        const round = await this.#round(batch, losses >= lossesBeforeLock)
        if (round !== null) return this.#answer(batch, round)
        losses += 1
        this.scope.metrics.lost()
      } catch (error) {
        errors += 1
        losses += 1
        const next = await this.#after(error, batch.length, errors)
        if (next === 'singly') return this.#settleSingly(batch)
        if (next === 'fail') return fail(batch, error)
        if (next !== 'again') return this.#answer(batch, next)
      }
    }
  }

  async #settleSingly(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#settle([waiting])
  }

  async #round(batch: readonly Waiting[], lockFirst: boolean): Promise<Round | null> {
    const known = this.#known
    // While the round is under way nothing is known; the roll goes by its version and may stay.
    this.#known = { head: null, roll: known.roll }
    const writes = batch.map(({ write }) => write)
    const served = batch.flatMap(({ span }) => span ?? [])
    const round = await inLinkedSpan('group commit', served, () =>
      lockFirst ? runLockedRound(this.scope, this.worldId, writes) : runRound(this.scope, this.worldId, writes, known),
    )
    if (round !== null) this.#known = round.known
    return round
  }

  /** What an error means for the batch; a round when its commit took place after all. */
  async #after(error: unknown, size: number, errors: number): Promise<Round | 'again' | 'singly' | 'fail'> {
    if (error instanceof UnansweredCommit) {
      const found = await settleUnanswered(this.scope, this.worldId, error)
      if (found === true) return error.round
      return found === false && errors < retries ? 'again' : 'fail'
    }
    const state = sqlState(error) ?? ''
    if ((overtaken.includes(state) || state.startsWith('40')) && errors < retries) return 'again'
    // Whatever is wrong with one write is none of its neighbours' business.
    return size > 1 && !isConnectionLoss(error) ? 'singly' : 'fail'
  }

  #answer(batch: readonly Waiting[], { answers, deletes }: Round): void {
    if (deletes) this.scope.deleted()
    batch.slice(0, answers.length).forEach(({ resolve }, index) => {
      resolve(answers[index] ?? refused(apiError()))
    })
    this.#waiting.unshift(...batch.slice(answers.length))
  }
}

function fail(batch: readonly Waiting[], error: unknown): void {
  // What became of an unanswered commit is not known: with its key a client may safely ask again.
  const cause = error instanceof UnansweredCommit ? new UnavailableError('unknown', { cause: error }) : error
  for (const { reject } of batch) reject(cause)
}
