/** One round of a world's queue: load what the writes rest on, decide, commit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@worlds/runtime/log'
import type { Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import { decide } from '../domain/decide'
import type { Answer, Write } from '../domain/intent'
import { needsOf } from '../domain/needs'
import { WorldState } from '../domain/world-state'
import { wasCommitted } from '../store/commit'
import { factsKnown, loadFacts, lockHead } from '../store/load'
import { formatMicros, nowMicros, timeAfter } from './clock'
import { commitWorld, type Known, nothingKnown, type Round, type UnansweredCommit } from './commit-world'
import { runInSteps } from './run-in-steps'
import { type StepScope, underLock } from './steps'

export interface RoundScope extends StepScope {
  readonly log: Log
  /** Told that a batch has deleted elements, once its commit stands. */
  readonly deleted: () => void
}

/** Null when the world moved meanwhile and nothing was written. Writes that rest on what is known load nothing. */
export async function runRound(
  scope: RoundScope,
  worldId: string,
  writes: readonly Write[],
  known: Known,
): Promise<Round | null> {
  let at = known
  return withMemory(scope, worldId, writes, (bodyBytes) => {
    const round = decideAndCommit(scope, worldId, scope.database, writes, at, bodyBytes)
    at = nothingKnown
    return round
  })
}

/** Runs a round again once there is memory for what it loads, or its one write in steps. */
async function withMemory(
  scope: RoundScope,
  worldId: string,
  [first]: readonly Write[],
  run: (bodyBytes: number) => Promise<Round | null>,
): Promise<Round | null> {
  try {
    return await run(loadedFreely)
  } catch (error) {
    if (!(error instanceof MemoryNeeded)) throw error
  }
  const lease = await scope.memory.acquire(loadedAtOnce * memoryFactor)
  try {
    return await run(loadedAtOnce)
  } catch (error) {
    if (!(error instanceof MemoryNeeded) || first === undefined) throw error
  } finally {
    lease.release()
  }
  return runInSteps(scope, worldId, first)
}

/** A round under the world's lock, which nobody else's commit can overtake. */
export async function runLockedRound(
  scope: RoundScope,
  worldId: string,
  writes: readonly Write[],
): Promise<Round | null> {
  return withMemory(scope, worldId, writes, (bodyBytes) =>
    underLock(scope, worldId, (tx) => decideAndCommit(scope, worldId, tx, writes, nothingKnown, bodyBytes)),
  )
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

/** Bytes of stored elements that a batch loads: without asking for memory, and at most. */
const loadedFreely = 1 << 20
const loadedAtOnce = 4 << 20

/** What loaded bytes take while they are text, members and the columns of a commit. */
const memoryFactor = 3

async function decideAndCommit(
  scope: RoundScope,
  worldId: string,
  tx: Transaction,
  writes: readonly Write[],
  { head, roll }: Known,
  bodyBytes: number,
): Promise<Round | null> {
  const needs = needsOf(writes)
  const fromMemory = factsKnown(needs, head, roll)
  const receiptsSince = formatMicros(nowMicros() - scope.receiptLifeMs * 1000)
  const facts = fromMemory ?? (await loadFacts(tx, worldId, needs, roll, receiptsSince, bodyBytes))
  if (facts === null) {
    const answers = writes.map((): Answer => ({ kind: 'ask-again' }))
    return { batch: uuidv7(), seen: null, known: nothingKnown, answers, deletes: false }
  }
  if (facts.withheld.size > 0) return decideFewer(scope, worldId, tx, writes, bodyBytes)

  const micros = timeAfter(facts.head.lastWriteAt)
  const world = new WorldState(facts, formatMicros(micros))
  const answers = decide(world, worldId, writes, scope.docsUrl)
  // Refusals alone hold if they rest on what was loaded just now; from memory they prove nothing.
  if (!world.isChanged) {
    if (fromMemory !== null) return null
    return { batch: uuidv7(), seen: facts.head, known: { head: null, roll: facts.roll }, answers, deletes: false }
  }
  const isLarge = bodyBytes > loadedFreely
  return commitWorld(scope, worldId, tx, world, answers, { roll, micros, receiptsSince, isLarge })
}

/** A batch that needs more than is loaded at once is cut in half. Nothing waits for memory here: a lock may be held. */
function decideFewer(
  scope: RoundScope,
  worldId: string,
  tx: Transaction,
  writes: readonly Write[],
  bodyBytes: number,
): Promise<Round | null> {
  const fewer = bodyBytes < loadedAtOnce ? null : firstHalf(writes)
  if (fewer === null) throw new MemoryNeeded()
  return decideAndCommit(scope, worldId, tx, fewer, nothingKnown, bodyBytes)
}

/** Null for one write that cannot be cut. */
function firstHalf(writes: readonly Write[]): readonly Write[] | null {
  const [first] = writes
  if (first === undefined || writes.length > 1) return writes.slice(0, Math.ceil(writes.length / 2))
  const { intent } = first
  // Its caller asks again until none is left.
  if (intent.kind !== 'forget' || intent.elements.length < 2) return null
  const elements = intent.elements.slice(0, Math.ceil(intent.elements.length / 2))
  return [{ ...first, intent: { ...intent, elements } }]
}

/** A round needs more of the world than it may load. */
class MemoryNeeded extends Error {
  override readonly name = 'MemoryNeeded'
}
