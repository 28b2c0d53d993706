/** One round of a world's queue: load what the writes rest on, decide, commit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import { type Database, sqlState, type Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import { decide } from '../domain/decide'
import type { Head } from '../domain/facts'
import type { Answer, Write } from '../domain/intent'
import { needsOf } from '../domain/needs'
import type { Roll } from '../domain/roll'
import { viewMoves } from '../domain/view-moves'
import { WorldState } from '../domain/world-state'
import { writeSetOf } from '../domain/write-set'
import { type Commit, commitBatch, viewVersionAfter, wasCommitted } from '../store/commit'
import { factsKnown, isOf, loadFacts, lockHead } from '../store/load'
import { seesCarriers } from '../store/sees-carriers'
import { formatMicros, nowMicros, timeAfter } from './clock'

export interface RoundScope {
  readonly database: Database
  readonly log: Log
  readonly metrics: QueueMetrics
  readonly failpoints: Failpoints
  readonly docsUrl: string
  readonly receiptLifeMs: number
  /** Told that a batch has deleted elements, once its commit stands. */
  readonly deleted: () => void
}

export interface QueueMetrics {
  committed(size: number, seconds: number): void
  lost(): void
  waited(seconds: number): void
}

/** What a process knows of a world from its own last commit, or from the last batch that it loaded. */
export interface Known {
  readonly head: Head | null
  readonly roll: Roll | null
}

export const nothingKnown: Known = { head: null, roll: null }

export interface Round {
  /** Of the writes that were decided, in order; the rest must wait. */
  readonly answers: readonly Answer[]
  /** The world as this round leaves it; no head when it wrote nothing. */
  readonly known: Known
  readonly batch: string
  readonly seen: Head | null
  /** It took elements away. */
  readonly deletes: boolean
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

/** Null when the world moved meanwhile and nothing was written. Writes that rest on what is known load nothing. */
export async function runRound(
  scope: RoundScope,
  worldId: string,
  writes: readonly Write[],
  known: Known,
): Promise<Round | null> {
  return decideAndCommit(scope, worldId, scope.database, writes, known)
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
      round = await decideAndCommit(scope, worldId, tx, writes, nothingKnown)
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
  { head, roll }: Known,
): Promise<Round | null> {
  const needs = needsOf(writes)
  const fromMemory = factsKnown(needs, head, roll)
  const receiptsSince = formatMicros(nowMicros() - scope.receiptLifeMs * 1000)
  const facts = fromMemory ?? (await loadFacts(tx, worldId, needs, roll, receiptsSince))
  const batch = uuidv7()
  if (facts === null) {
    const answers = writes.map((): Answer => ({ kind: 'ask-again' }))
    return { batch, seen: null, known: nothingKnown, answers, deletes: false }
  }

  const micros = timeAfter(facts.head.lastWriteAt)
  const world = new WorldState(facts, formatMicros(micros))
  const answers = decide(world, worldId, writes, scope.docsUrl)
  // Refusals alone hold if they rest on what was loaded just now; from memory they prove nothing.
  if (!world.isChanged) {
    if (fromMemory !== null) return null
    return { batch, seen: facts.head, known: { head: null, roll: facts.roll }, answers, deletes: false }
  }

  const { moves, gains } = viewMoves(world)
  for (const member of await seesCarriers(tx, worldId, world, gains)) moves.set(member, 'view')
  const writeSet = writeSetOf(world, moves)
  const commit = { worldId, batch, now: world.now, seen: facts.head, writeSet, receiptsSince }
  const deletes = world.tombstones.length > 0
  const round = { batch, seen: facts.head, known: knownAfter(commit, world, roll, micros), answers, deletes }
  return (await send(scope, tx, commit, round)) ? round : null
}

/** A roll that this batch did not need is still known as it was, unless its world has moved on since. */
function knownAfter(commit: Commit, world: WorldState, kept: Roll | null, micros: number): Known {
  const { seen } = commit
  const viewVersion = viewVersionAfter(commit)
  const head = { ...seen, head: world.head, viewVersion, lastWriteAt: micros, commits: seen.commits + 1 }
  const before = world.facts.roll ?? (kept !== null && isOf(kept, seen) ? kept : null)
  if (before === null) return { head, roll: null }
  const members = world.rollChanges.size === 0 ? before.members : new Map([...before.members, ...world.rollChanges])
  const { ownerCharacter } = world.facts.roll === null ? before : world
  return { head, roll: { timeline: seen.timeline, viewVersion, members, ownerCharacter } }
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
