import { admit, keepReceipt } from '../domain/decide'
import {
  applySlot,
  bulkAnswer,
  type Candidate,
  checkBulk,
  failedSlot,
  isFailed,
  type Slot,
  unwrittenSlot,
} from '../domain/decide-bulk'
import type { Writer } from '../domain/decide-element'
import type { Answer, Intent, Write } from '../domain/intent'
import type { WorldState } from '../domain/world-state'
import type { Round } from './commit-world'
import { groupsOf, type Steps } from './steps'

type Bulk = Extract<Intent, { kind: 'bulk' }>

interface Item {
  readonly index: number
  readonly slot: Candidate
}

/** A bulk write of large stored elements: all items are checked first, then written in steps. */
export async function bulkInSteps(steps: Steps, write: Write, intent: Bulk): Promise<Round> {
  const outline = await steps.loadOutline(write)
  if (outline === null) return steps.end({ kind: 'ask-again' })
  const writer = admit(outline, write)
  if ('kind' in writer) return steps.end(writer)
  const slots = checkBulk(outline, writer, intent.items)
  const isUnwritten = slots.every(isFailed) || (intent.atomic && slots.some(isFailed))
  if (isUnwritten) return endUnwritten(steps, write, outline, slots)

  const outcomes = slots.map((slot) => (isFailed(slot) ? failedSlot(slot, steps.scope.docsUrl) : ''))
  const items = slots.flatMap((slot, index) => (isFailed(slot) ? [] : [{ index, slot }]))
  const sizeOf = ({ slot }: Item) => outline.facts.withheld.get(slot.item.id)?.size ?? 0
  const groups = groupsOf(items, sizeOf)
  const earlier = new Set<string>()
  let answer: Answer = bulkAnswer(slots, outcomes)
  for (const [index, group] of groups.entries()) {
    const world = await steps.load(idsOf(group), !writer.view.all)
    applyGroup(world, writer, group, earlier, outcomes)
    if (index === groups.length - 1) {
      answer = bulkAnswer(slots, outcomes)
      keepReceipt(world, write, answer)
    }
    await steps.commit(world)
  }
  return steps.end(answer)
}

async function endUnwritten(steps: Steps, write: Write, outline: WorldState, slots: readonly Slot[]): Promise<Round> {
  const earlier = new Set<string>()
  const { docsUrl } = steps.scope
  const outcomes = slots.map((slot) =>
    isFailed(slot) ? failedSlot(slot, docsUrl) : unwrittenSlot(outline, slot, earlier),
  )
  const answer = bulkAnswer(slots, outcomes)
  keepReceipt(outline, write, answer)
  await steps.commit(outline)
  return steps.end(answer)
}

function applyGroup(
  world: WorldState,
  writer: Writer,
  group: readonly Item[],
  earlier: Set<string>,
  outcomes: string[],
): void {
  for (const { index, slot } of group) outcomes[index] = applySlot(world, writer, slot, earlier)
}

function idsOf(group: readonly Item[]): string[] {
  return group.map(({ slot }) => slot.item.id)
}
