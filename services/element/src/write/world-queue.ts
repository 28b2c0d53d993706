/**
 * All writes of one world go through one queue in the process: gather, load, decide, commit. While
 * a commit is under way, what arrives gathers into the next batch. A commit stands only if the
 * world is still what its decisions saw; so other processes may write the same world, and nothing
 * is answered before the commit that it was decided beside.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { apiError } from '@worlds/domain/errors'
import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import { type Database, sqlState, type Transaction } from '@worlds/runtime/postgres'
import { activeSpan, inLinkedSpan, type Span } from '@worlds/runtime/tracing'
import { uuidv7 } from 'uuidv7'
import { decide } from '../domain/decide'
import { type Answer, refused, type Write } from '../domain/intent'
import { isEmpty, needsOf } from '../domain/needs'
import { type Head, WorldState } from '../domain/world-state'
import { writeSetOf } from '../domain/write-set'
import { commitBatch, overtaken, viewVersionAfter, wasCommitted } from '../store/commit'
import { factsOf, loadFacts, lockHead } from '../store/load'
import { formatMicros, nextMicros } from './clock'

export interface QueueScope {
  readonly database: Database
  readonly log: Log
  readonly metrics: QueueMetrics
  readonly failpoints: Failpoints
  readonly docsUrl: string
  readonly receiptLifeMs: number
}

export interface QueueMetrics {
  committed(size: number, seconds: number): void
  lost(): void
}

interface Waiting {
  readonly write: Write
  readonly weight: number
  /** Of the trace that the write belongs to. */
  readonly span: Span | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

interface Round {
  readonly batch: string
  readonly answers: readonly Answer[]
}

/** Writes, and rows of bulk writes, that one batch takes at most. */
const batchWeight = 128

/** Lost commits after which the lock is taken first, so that progress is certain. */
const lossesBeforeLock = 2

/** A commit was sent and may have taken place. */
class UnansweredCommit extends Error {
  constructor(
    readonly round: Round,
    cause: unknown,
  ) {
    super('a commit was not answered', { cause })
  }
}

const unanswered = (round: Round, cause: unknown) => new UnansweredCommit(round, cause)

export class WorldQueue {
  readonly #waiting: Waiting[] = []
  #head: Head | null = null
  #running = false
  #usedAt = Date.now()

  constructor(
    private readonly scope: QueueScope,
    private readonly worldId: string,
  ) {}

  submit(write: Write): Promise<Answer> {
    this.#usedAt = Date.now()
    return new Promise((resolve, reject) => {
      const weight = write.intent.kind === 'bulk' ? write.intent.items.length : 1
      this.#waiting.push({ write, weight, span: activeSpan(), resolve, reject })
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
    return this.#waiting.splice(0, count)
  }

  /** Brings every write of the batch to an answer, or back into the queue. */
  async #settle(batch: Waiting[]): Promise<void> {
    let losses = 0
    for (let tries = 1; ; tries += 1) {
      try {
        const writes = batch.map(({ write }) => write)
        const served = batch.flatMap(({ span }) => span ?? [])
        const lockFirst = losses >= lossesBeforeLock
        const round = await inLinkedSpan('group commit', served, () => this.#attempt(writes, lockFirst))
        if (round !== null) return this.#answer(batch, round.answers)
        this.#head = null
        losses += 1
        this.scope.metrics.lost()
      } catch (error) {
        this.#head = null
        const state = sqlState(error) ?? ''
        if (error instanceof UnansweredCommit) {
          const answers = await this.#recover(error)
          if (answers === 'unknown') return fail(batch, error.cause)
          if (answers !== null) return this.#answer(batch, answers)
        } else if (overtaken.includes(state) && tries < 8) {
          losses += 1
        } else if (state.startsWith('40') && tries < 4) {
          losses += 1
        } else if (/^(22|23|40)/.test(state) && batch.length > 1) {
          for (const waiting of batch) await this.#settle([waiting])
          return
        } else {
          return fail(batch, error)
        }
      }
    }
  }

  /** One round; null when the world moved meanwhile and nothing was written. */
  async #attempt(writes: readonly Write[], lockFirst: boolean): Promise<Round | null> {
    if (!lockFirst) return this.#round(this.scope.database, writes, false)
    let round: Round | null = null
    try {
      return await this.scope.database.transaction(async (tx) => {
        await lockHead(tx, this.worldId)
        round = await this.#round(tx, writes, true)
        return round
      })
    } catch (error) {
      throw round === null || sqlState(error) !== undefined ? error : unanswered(round, error)
    }
  }

  async #round(tx: Transaction, writes: readonly Write[], locked: boolean): Promise<Round | null> {
    const needs = needsOf(writes)
    const known = isEmpty(needs) && !locked ? this.#head : null
    const receiptsSince = formatMicros(nextMicros(0) - this.scope.receiptLifeMs * 1000)
    const facts = known === null ? await loadFacts(tx, this.worldId, needs, receiptsSince) : factsOf(known)
    const batch = uuidv7()
    if (facts === null) return { batch, answers: writes.map(() => ({ kind: 'ask-again' })) }

    const micros = nextMicros(facts.head.lastWriteAt)
    const world = new WorldState(facts, formatMicros(micros))
    const answers = decide(world, this.worldId, writes, this.scope.docsUrl)
    // Refusals alone hold if they rest on what was loaded just now; from memory they prove nothing.
    if (!world.isChanged) return known === null ? { batch, answers } : null

    const started = performance.now()
    const writeSet = writeSetOf(world)
    const commit = { worldId: this.worldId, batch, now: world.now, seen: facts.head, writeSet, receiptsSince }
    await this.scope.failpoints.reach('commit.before')
    const stands = await commitBatch(tx, commit)
      .then(async (result) => {
        await this.scope.failpoints.reach('commit.after')
        await this.scope.failpoints.reach('commit.lost')
        return result
      })
      .catch((error: unknown) => {
        const state = sqlState(error)
        throw state === undefined || /^(08|57)/.test(state) ? unanswered({ batch, answers }, error) : error
      })
    if (!stands) return null
    this.#head = {
      ...facts.head,
      head: world.head,
      viewVersion: viewVersionAfter(commit),
      lastWriteAt: micros,
    }
    this.scope.metrics.committed(answers.length, (performance.now() - started) / 1000)
    return { batch, answers }
  }

  /** Finds out under the world's lock whether the commit took place; null when it did not. */
  async #recover({ round: { batch, answers } }: UnansweredCommit): Promise<readonly Answer[] | null | 'unknown'> {
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      try {
        const found = await this.scope.database.transaction(async (tx) => {
          await lockHead(tx, this.worldId)
          return wasCommitted(tx, this.worldId, batch)
        })
        return found ? answers : null
      } catch (error) {
        this.scope.log.warn({ err: error, attempt }, 'a commit without an answer is not settled yet')
        await sleep(100 * Math.min(attempt, 5))
      }
    }
    return 'unknown'
  }

  #answer(batch: Waiting[], answers: readonly Answer[]): void {
    batch.slice(0, answers.length).forEach(({ resolve }, index) => {
      resolve(answers[index] ?? refused(apiError()))
    })
    this.#waiting.unshift(...batch.slice(answers.length))
  }
}

function fail(batch: Waiting[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}
