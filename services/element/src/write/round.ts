/** One round of a world's queue: load what the writes rest on, decide, commit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import { type Database, sqlState, type Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import { decide } from '../domain/decide'
import type { Answer, Write } from '../domain/intent'
import { isEmpty, needsOf } from '../domain/needs'
import { type Head, WorldState } from '../domain/world-state'
import { writeSetOf } from '../domain/write-set'
import { type Commit, commitBatch, viewVersionAfter, wasCommitted } from '../store/commit'
import { factsOf, loadFacts, lockHead } from '../store/load'
import { formatMicros, nowMicros, timeAfter } from './clock'

export interface RoundScope {
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

export interface Round {
  /** Of the writes that were decided, in order; the rest must wait. */
  readonly answers: readonly Answer[]
  /** The head row as this round leaves it; null when it wrote nothing. */
  readonly head: Head | null
  readonly batch: string
  readonly seen: Head | null
}

/** A commit was sent, or its transaction's end, and may have taken place. */
export class UnansweredCommit extends Error {
  override readonly name = 'UnansweredCommit'
  constructor(
    readonly round: Round,
    cause: unknown,
  ) {
    super('a commit was not answered', { cause })
  }
}

/**
 * Null when the world moved meanwhile and nothing was written. `head` is the head row as this
 * process knows it from its own last commit: writes that rest on nothing else then load nothing.
 */
export async function runRound(
  scope: RoundScope,
  worldId: string,
  writes: readonly Write[],
  head: Head | null,
): Promise<Round | null> {
  return decideAndCommit(scope, worldId, scope.database, writes, head)
}

/** A round under the world's lock, which nobody else's commit can overtake. */
export async function runLockedRound(
  scope: RoundScope,
  worldId: string,
  writes: readonly Write[],
): Promise<Round | null> {
  let round: Round | null = null
  try {
    return await scope.database.transaction(async (tx) => {
      await lockHead(tx, worldId)
      round = await decideAndCommit(scope, worldId, tx, writes, null)
      return round
    })
  } catch (error) {
    throw round !== null && isUnanswered(error) ? new UnansweredCommit(round, error) : error
  }
}

/** Finds out under the world's lock whether a commit took place. */
export async function settleUnanswered(
  { database, log }: RoundScope,
  worldId: string,
  { round, cause }: UnansweredCommit,
): Promise<boolean | 'unknown'> {
  const { batch, seen } = round
  if (seen === null) return false
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    try {
      const found = await database.transaction(async (tx) => {
        await lockHead(tx, worldId)
        return wasCommitted(tx, worldId, batch, seen)
      })
      log.warn({ err: cause, worldId, found }, 'a commit without an answer is settled')
      return found
    } catch (error) {
      log.warn({ err: error, worldId, attempt }, 'a commit without an answer is not settled yet')
      await sleep(100 * Math.min(attempt, 5))
    }
  }
  return 'unknown'
}

async function decideAndCommit(
  scope: RoundScope,
  worldId: string,
  tx: Transaction,
  writes: readonly Write[],
  head: Head | null,
): Promise<Round | null> {
  const needs = needsOf(writes)
  const known = isEmpty(needs) ? head : null
  const receiptsSince = formatMicros(nowMicros() - scope.receiptLifeMs * 1000)
  const facts = known === null ? await loadFacts(tx, worldId, needs, receiptsSince) : factsOf(known)
  const batch = uuidv7()
  if (facts === null) return { batch, seen: null, head: null, answers: writes.map(() => ({ kind: 'ask-again' })) }

  const micros = timeAfter(facts.head.lastWriteAt)
  const world = new WorldState(facts, formatMicros(micros))
  const answers = decide(world, worldId, writes, scope.docsUrl)
  // Refusals alone hold if they rest on what was loaded just now; from memory they prove nothing.
  if (!world.isChanged) return known === null ? { batch, seen: facts.head, head: null, answers } : null

  const writeSet = writeSetOf(world)
  const commit = { worldId, batch, now: world.now, seen: facts.head, writeSet, receiptsSince }
  const after = {
    ...facts.head,
    head: world.head,
    viewVersion: viewVersionAfter(commit),
    lastWriteAt: micros,
    commits: facts.head.commits + 1,
  }
  const round = { batch, seen: facts.head, head: after, answers }
  return (await send(scope, tx, commit, round)) ? round : null
}

async function send(scope: RoundScope, tx: Transaction, commit: Commit, round: Round): Promise<boolean> {
  const { failpoints, metrics } = scope
  const started = performance.now()
  await failpoints.reach('commit.before')
  try {
    const stands = await commitBatch(tx, commit)
    await failpoints.reach('commit.after')
    await failpoints.reach('commit.lost')
    if (stands) metrics.committed(round.answers.length, (performance.now() - started) / 1000)
    return stands
  } catch (error) {
    throw isUnanswered(error) ? new UnansweredCommit(round, error) : error
  }
}

/** PostgreSQL did not say what became of the statement: the connection went, or its server process. */
function isUnanswered(error: unknown): boolean {
  const state = sqlState(error)
  return state === undefined || /^(08|57P)/.test(state)
}
