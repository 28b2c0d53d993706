/** Decides a bulk write as one: every check runs before anything is put (L246; A37 to A40b, B21 to B24). */
import { linksOf, type Members } from '@worlds/domain/element-body'
import { applyFailed, errorBody, type Refusal, statusOf } from '@worlds/domain/errors'
import type { Category } from '@worlds/domain/registry'
import { create, heldFault, membersOf, replace, sizeFault, type Writer } from './decide-element'
import { type Answer, type BulkItem, type Intent, isBadItem } from './intent'
import { linkFault } from './links'
import { keepUnseen } from './seen'
import type { Element, WorldState } from './world-state'

export interface Candidate {
  readonly item: BulkItem
  readonly members: Members
}

/** A candidate that may still be written, or why it may not. */
export type Slot = Candidate | { readonly id: string | null; readonly refusal: Refusal }

type Bulk = Extract<Intent, { kind: 'bulk' }>

export function decideBulk(world: WorldState, writer: Writer, intent: Bulk, docsUrl: string): Answer {
  const slots = checkBulk(world, writer, intent.items)
  const isWritten = !intent.atomic || !slots.some(isFailed)
  const earlier = new Set<string>()
  const outcomes = slots.map((slot) => {
    if (isFailed(slot)) return failedSlot(slot, docsUrl)
    return isWritten ? applySlot(world, writer, slot, earlier) : unwrittenSlot(world, slot, earlier)
  })
  return bulkAnswer(slots, outcomes)
}

/** What each item comes to before anything is written: every check of the whole batch. */
export function checkBulk(world: WorldState, writer: Writer, items: Bulk['items']): Slot[] {
  const slots = items.map(
    (item): Slot => (isBadItem(item) ? item : { item, members: membersOf(item.category, item.input) }),
  )
  failHeldIds(world, writer, slots)
  failLinks(world, writer, slots)
  if (failClaimedIds(slots)) failLinks(world, writer, slots)

  return slots
}

/** Writes an item that passed every check; the text of its slot. `earlier` gathers the ids that the batch has met. */
export function applySlot(world: WorldState, writer: Writer, slot: Candidate, earlier: Set<string>): string {
  const { id, category } = slot.item
  const current = world.find(id)
  const status = statusOfSlot(current, id, earlier)
  const element =
    current === null ? create(world, writer, category, id, slot.members) : replace(world, writer, current, slot.members)
  return successSlot(status, element)
}

/** What a slot shows of an atomic batch that is not written. */
export function unwrittenSlot(world: WorldState, { item }: Candidate, earlier: Set<string>): string {
  const current = world.find(item.id)
  const status = statusOfSlot(current, item.id, earlier)
  return successSlot(status, { id: item.id, createdAt: current?.createdAt ?? world.now, updatedAt: world.now })
}

function statusOfSlot(current: Element | null, id: string, earlier: Set<string>): number {
  const status = current !== null || earlier.has(id) ? 200 : 201
  earlier.add(id)
  return status
}

export function bulkAnswer(slots: readonly Slot[], outcomes: readonly string[]): Answer {
  const errors = slots.some(isFailed)
  return { kind: 'body', status: 200, body: `{"errors":${errors},"items":[${outcomes.join()}]}` }
}

export function isFailed(slot: Slot): slot is Exclude<Slot, Candidate> {
  return 'refusal' in slot
}

/** An id that another world or another category holds can't be applied; nor one that is not the writer's (B21). */
function failHeldIds(world: WorldState, writer: Writer, slots: Slot[]): void {
  slots.forEach((slot, index) => {
    if (isFailed(slot)) return
    const { id, category } = slot.item
    const fault = heldFault(world, writer, category, id) ?? sizeFault(membersKept(world, writer, slot))
    // Of a batch no slot tells a conflict (A37).
    const refusal = fault?.code === 'id_conflict' ? applyFailed() : fault
    if (refusal !== null) slots[index] = { id, refusal }
  })
}

/** Members as they will be stored: with the links that stay because the writer does not see them. */
function membersKept(world: WorldState, { view }: Writer, { item, members }: Candidate): Members {
  const current = view.all ? null : world.find(item.id)
  if (current === null) return members
  const kept = new Map(members)
  keepUnseen(world, view, item.category, current.members, kept)
  return kept
}

/** Nor can an id under a second category, of items that are left. Tells whether one failed. */
function failClaimedIds(slots: Slot[]): boolean {
  const claimed = new Map<string, Category>()
  let failed = false
  slots.forEach((slot, index) => {
    if (isFailed(slot)) return
    const { id, category } = slot.item
    if ((claimed.get(id) ?? category) === category) {
      claimed.set(id, category)
    } else {
      slots[index] = { id, refusal: applyFailed() }
      failed = true
    }
  })
  return failed
}

/**
 * Fails items whose links name neither an element of the world nor a surviving item; an item that
 * fails also fails the items that link to it, and so on. Each item is looked at once, and again
 * only when an item that it links to has failed.
 */
function failLinks(world: WorldState, { view }: Writer, slots: Slot[]): void {
  const surviving = new Map<string, { category: string; count: number }>()
  const linkedFrom = new Map<string, number[]>()
  const queue: number[] = []
  slots.forEach((slot, index) => {
    if (isFailed(slot)) return
    queue.push(index)
    const { id, category } = slot.item
    surviving.set(id, { category: category.slug, count: (surviving.get(id)?.count ?? 0) + 1 })
  })
  for (const index of queue) {
    for (const target of targetsOf(slots[index])) {
      // What the world holds cannot fail.
      if (surviving.has(target) && world.categoryOf(target) === null) append(linkedFrom, target, index)
    }
  }
  const categoryOf = (id: string) => world.categorySeen(view, id) ?? surviving.get(id)?.category ?? null
  for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
    const slot = slots[index]
    if (slot === undefined || isFailed(slot)) continue
    const { id, category, input } = slot.item
    const refusal = linkFault(category, slot.members, input.values, categoryOf)
    if (refusal === null) continue
    slots[index] = { id: input.id, refusal }
    const left = surviving.get(id)
    if (left !== undefined && left.count > 1) {
      left.count -= 1
    } else {
      surviving.delete(id)
      queue.push(...(linkedFrom.get(id) ?? []))
    }
  }
}

function targetsOf(slot: Slot | undefined): Set<string> {
  if (slot === undefined || isFailed(slot)) return new Set()
  return new Set(linksOf(slot.item.category, slot.members).map(({ target }) => target))
}

function append(lists: Map<string, number[]>, key: string, item: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

function successSlot(status: number, { id, createdAt, updatedAt }: Pick<Element, 'id' | 'createdAt' | 'updatedAt'>) {
  return `{"status":${status},"id":"${id}","created_at":"${createdAt}","updated_at":"${updatedAt}"}`
}

export function failedSlot({ id, refusal }: { id: string | null; refusal: Refusal }, docsUrl: string): string {
  return JSON.stringify({ status: statusOf(refusal.code), id, error: errorBody(refusal, docsUrl) })
}
