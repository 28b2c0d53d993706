/** Commits what a batch has decided of its world. */
import type { Failpoints } from '@worlds/runtime/failpoint'
import { nextTurn } from '@worlds/runtime/next-turn'
import { sqlState, type Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import type { Head } from '../domain/facts'
import type { Answer } from '../domain/intent'
import type { Roll } from '../domain/roll'
import { viewMoves } from '../domain/view-moves'
import type { WorldState } from '../domain/world-state'
import { writeSetOf } from '../domain/write-set'
import { type Commit, commitBatch, viewVersionAfter } from '../store/commit'
import { isOf } from '../store/load'
import { seesCarriers } from '../store/sees-carriers'

export interface CommitScope {
  readonly metrics: QueueMetrics
  readonly failpoints: Failpoints
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

export interface Circumstances {
  /** As it was known before the batch was loaded. */
  readonly roll: Roll | null
  /** The time of the batch, in microseconds since the Unix epoch. */
  readonly micros: number
  /** Receipts older than this are gone. */
  readonly receiptsSince: string
  /** What was decided took some milliseconds, and so will its commit. */
  readonly isLarge: boolean
}

/** Null when the world moved since it was loaded and nothing was written. */
export async function commitWorld(
  scope: CommitScope,
  worldId: string,
  tx: Transaction,
  world: WorldState,
  answers: readonly Answer[],
  { roll, micros, receiptsSince, isLarge }: Circumstances,
): Promise<Round | null> {
  const { head: seen } = world.facts
  if (isLarge) await nextTurn()
  const { moves, gains } = viewMoves(world)
  for (const member of await seesCarriers(tx, worldId, world, gains)) moves.set(member, 'view')
  const batch = uuidv7()
  const commit = { worldId, batch, now: world.now, seen, writeSet: writeSetOf(world, moves), receiptsSince }
  const deletes = world.tombstones.length > 0
  const round = { batch, seen, known: knownAfter(commit, world, roll, micros), answers, deletes }
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

async function send(scope: CommitScope, tx: Transaction, commit: Commit, round: Round): Promise<boolean> {
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
export function isUnanswered(error: unknown): boolean {
  const state = sqlState(error)
  return state === undefined || /^(08|57P)/.test(state)
}
