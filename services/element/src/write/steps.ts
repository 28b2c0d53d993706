/**
 * Writes that change more of their world than is loaded at once: under the world's lock, in one transaction, some
 * elements after the others. Each step loads, changes and commits some elements; no reader sees the world between two
 * steps.
 */
import type { ByteBudget } from '@worlds/runtime/byte-budget'
import type { Database, Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import { decide } from '../domain/decide'
import type { Facts, StoredElement } from '../domain/facts'
import type { Answer, Write } from '../domain/intent'
import { type Needs, needsOf } from '../domain/needs'
import { WorldState } from '../domain/world-state'
import { loadFacts, lockHead } from '../store/load'
import { formatMicros, nowMicros, timeAfter } from './clock'
import { type CommitScope, commitWorld, isUnanswered, nothingKnown, type Round, UnansweredCommit } from './commit-world'

export interface StepScope extends CommitScope {
  readonly database: Database
  readonly docsUrl: string
  readonly receiptLifeMs: number
  /** Bytes that large batches hold at once. */
  readonly memory: ByteBudget
}

/** Bytes of stored elements that one step loads, unless a single one is larger. */
const stepBytes = 2 << 20

/** Runs `work` under the world's lock, which excludes every other commit. */
export async function underLock(
  { database }: Pick<StepScope, 'database'>,
  worldId: string,
  work: (tx: Transaction) => Promise<Round | null>,
): Promise<Round | null> {
  let round: Round | null = null
  try {
    return await database.transaction(async (tx) => {
      await lockHead(tx, worldId)
      round = await work(tx)
      return round
    })
  } catch (error) {
    throw round !== null && isUnanswered(error) ? new UnansweredCommit(round, error) : error
  }
}

/** The steps of one write, in its transaction. */
export class Steps {
  readonly #receiptsSince: string
  #last: Round | null = null
  #micros = 0

  constructor(
    readonly scope: StepScope,
    readonly worldId: string,
    private readonly tx: Transaction,
  ) {
    this.#receiptsSince = formatMicros(nowMicros() - scope.receiptLifeMs * 1000)
  }

  /** What the whole write is checked against: elements without their bodies. Null when the world is gone. */
  async loadOutline(write: Write): Promise<WorldState | null> {
    const needs = needsOf([write])
    // Who sees an element follows from the Characters that it names, which stand among the links too.
    for (const id of needs.elements) needs.targets.add(id)
    const facts = await this.#load({ ...needs, cut: new Set() }, 0)
    return facts && this.#stateOf({ ...facts, elements: new Map(outlinesOf(facts)) })
  }

  /** Elements with their bodies, and what they link to where the writer's view is `cut`. */
  async load(ids: readonly string[], isCut: boolean): Promise<WorldState> {
    const elements = new Set(ids)
    const cut = isCut ? elements : new Set<string>()
    const facts = await this.#load({ ...noNeeds(), elements, cut, roll: true, sights: isCut }, Number.MAX_SAFE_INTEGER)
    if (facts === null) throw new Error('a world went while it was locked')
    return this.#stateOf(facts)
  }

  /** All that is left of the write, in one step. */
  async takeWhole(write: Write): Promise<Round> {
    const facts = await this.#load(needsOf([write]), Number.MAX_SAFE_INTEGER)
    if (facts === null) return this.end({ kind: 'ask-again' })
    const world = this.#stateOf(facts)
    const [answer] = decide(world, this.worldId, [write], this.scope.docsUrl)
    await this.commit(world)
    return this.end(answer ?? { kind: 'ask-again' })
  }

  async commit(world: WorldState): Promise<void> {
    if (!world.isChanged) return
    const rest = { roll: null, micros: this.#micros, receiptsSince: this.#receiptsSince, isLarge: true }
    const round = await commitWorld(this.scope, this.worldId, this.tx, world, [], rest)
    if (round === null) throw new Error('a world moved while it was locked')
    this.#last = { ...round, deletes: round.deletes || (this.#last?.deletes ?? false) }
  }

  /** The round of the last step, with the answer of the whole write. */
  end(answer: Answer): Round {
    const { batch, seen, deletes } = this.#last ?? { batch: uuidv7(), seen: null, deletes: false }
    return { batch, seen, deletes, known: nothingKnown, answers: [answer] }
  }

  async #load(needs: Needs, bodyBytes: number): Promise<Facts | null> {
    return loadFacts(this.tx, this.worldId, needs, null, this.#receiptsSince, bodyBytes)
  }

  #stateOf(facts: Facts): WorldState {
    this.#micros = timeAfter(facts.head.lastWriteAt)
    return new WorldState(facts, formatMicros(this.#micros))
  }
}

/** Elements as far as their sight goes: with the Characters that they name. */
function* outlinesOf({ withheld, linked }: Facts): Iterable<[string, StoredElement]> {
  for (const [id, element] of withheld) {
    const names = linked.get(id)?.characters ?? []
    const characters = names.length === 0 ? '' : `,"characters":${JSON.stringify(names)}`
    yield [id, { ...element, body: `${element.body}${characters}` }]
  }
}

function noNeeds(): Needs {
  return needsOf([])
}

/** Cuts items into groups whose stored elements fit into one step; sizes are in bytes. */
export function groupsOf<T>(items: readonly T[], sizeOf: (item: T) => number): T[][] {
  const groups: T[][] = []
  let bytes = 0
  for (const item of items) {
    const size = sizeOf(item)
    const group = groups.at(-1)
    if (group === undefined || bytes + size > stepBytes) {
      groups.push([item])
      bytes = size
    } else {
      group.push(item)
      bytes += size
    }
  }
  return groups
}
