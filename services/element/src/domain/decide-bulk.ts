/** Decides a bulk write as one: every check runs before anything is put (L246; A37 to A40b, B21 to B24). */
import { linksOf, type Members } from '@worlds/domain/element-body'
import { applyFailed, errorBody, type Refusal, statusOf } from '@worlds/domain/errors'
import type { Category } from '@worlds/domain/registry'
import { create, heldFault, membersOf, replace, type Writer } from './decide-element'
import { type Answer, type BulkItem, type Intent, isBadItem } from './intent'
import { linkFault } from './links'
import type { Element, WorldState } from './world-state'

interface Candidate {
  readonly item: BulkItem
  readonly members: Members
}

/** A candidate that may still be written, or why it may not. */
type Slot = Candidate | { readonly id: string | null; readonly refusal: Refusal }

export function decideBulk(
  world: WorldState,
  writer: Writer,
  { items, atomic }: Extract<Intent, { kind: 'bulk' }>,
  docsUrl: string,
): Answer {
  const slots = items.map(
    (item): Slot => (isBadItem(item) ? item : { item, members: membersOf(item.category, item.input) }),
  )
  failHeldIds(world, writer, slots)
  failLinks(world, writer, slots)
  if (failClaimedIds(slots)) failLinks(world, writer, slots)

  const errors = slots.some(isFailed)
  const isWritten = !errors || !atomic
  const earlier = new Set<string>()
  const applied = slots.map((slot) => {
    if (isFailed(slot)) return failedSlot(slot, docsUrl)
    const { id } = slot.item
    const current = world.find(id)
    const status = current !== null || earlier.has(id) ? 200 : 201
    earlier.add(id)
    return successSlot(status, isWritten ? apply(world, writer, slot, current) : unwritten(world, slot, current))
  })
  return { kind: 'body', status: 200, body: `{"errors":${errors},"items":[${applied.join()}]}` }
}

function isFailed(slot: Slot): slot is Exclude<Slot, Candidate> {
  return 'refusal' in slot
}

/** An id that another world or another category holds can't be applied; nor one that is not the writer's (B21). */
function failHeldIds(world: WorldState, writer: Writer, slots: Slot[]): void {
  slots.forEach((slot, index) => {
    if (isFailed(slot)) return
    const { id, category } = slot.item
    const fault = heldFault(world, writer, category, id)
    // Of a batch no slot tells a conflict (A37).
    const refusal = fault?.code === 'id_conflict' ? applyFailed() : fault
    if (refusal !== null) slots[index] = { id, refusal }
  })
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

function apply(world: WorldState, writer: Writer, { item, members }: Candidate, current: Element | null): Element {
  if (current === null) return create(world, writer, item.category, item.id, members)
  return replace(world, writer, current, members)
}

/** What a slot of an atomic batch shows that was not written. */
function unwritten(world: WorldState, { item }: Candidate, current: Element | null) {
  return { id: item.id, createdAt: current?.createdAt ?? world.now, updatedAt: world.now }
}

function successSlot(status: number, { id, createdAt, updatedAt }: Pick<Element, 'id' | 'createdAt' | 'updatedAt'>) {
  return `{"status":${status},"id":"${id}","created_at":"${createdAt}","updated_at":"${updatedAt}"}`
}

function failedSlot({ id, refusal }: { id: string | null; refusal: Refusal }, docsUrl: string): string {
  return JSON.stringify({ status: statusOf(refusal.code), id, error: errorBody(refusal, docsUrl) })
}
