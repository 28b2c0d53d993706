/** Decides single writes of elements, in the order of checks 15 to 19 of the contract. */
import { extensionsOf, type Members, rawValue, scrub } from '@worlds/domain/element-body'
import { type ElementInput, extensionsFault } from '@worlds/domain/element-input'
import { idConflict, invalidLink, notFound, preconditionFailed, type Refusal } from '@worlds/domain/errors'
import { matchesSeq } from '@worlds/domain/headers'
import type { Category } from '@worlds/domain/registry'
import { type Actor, type Answer, type Intent, refused } from './intent'
import { linkFault, settleGenericLink } from './links'
import { type Element, show, type WorldState } from './world-state'

type Of<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>

export function decideCreate(world: WorldState, actor: Actor, { category, id, input }: Of<'create'>): Answer {
  if (world.find(id) !== null) return refused(idConflict('this'))
  if (world.isHeldElsewhere(id)) return refused(idConflict('another'))
  const members = membersOf(category, input)
  const fault = linkFaultOf(world, category, id, members, input)
  if (fault !== null) return refused(fault)
  return shown(201, create(world, actor, category, id, members))
}

export function decidePut(world: WorldState, actor: Actor, { category, id, input }: Of<'put'>): Answer {
  const current = world.find(id)
  if (current !== null && current.category !== category) return refused(idConflict('this'))
  if (world.isHeldElsewhere(id)) return refused(idConflict('another'))
  const members = membersOf(category, input)
  const fault = linkFaultOf(world, category, id, members, input)
  if (fault !== null) return refused(fault)
  if (current === null) return shown(201, create(world, actor, category, id, members))
  return shown(200, world.put({ ...current, members }))
}

export function decidePatch(world: WorldState, { category, id, input, ifMatch }: Of<'patch'>): Answer {
  const current = world.find(id)
  if (current === null || current.category !== category) return refused(notFound())
  const members = merge(current.members, input)
  const tooLarge = input.extensions.size === 0 ? null : extensionsFault(extensionsOf(category, members))
  if (tooLarge !== null) return refused(tooLarge)
  if (!matchesSeq(ifMatch, current.changeSeq)) return refused(preconditionFailed(show(current)))
  if (category.slug === 'pin') settleGenericLink(members, input.values)
  const fault = linkFault(category, members, input.values, (target) => world.categoryOf(target))
  if (fault !== null) return refused(fault)
  return shown(200, world.put({ ...current, members }))
}

export function decideLinks(world: WorldState, intent: Of<'links'>): Answer {
  const { category, id, field: name, add, remove, ifMatch } = intent
  const current = world.find(id)
  if (current === null || current.category !== category) return refused(notFound())
  if (!matchesSeq(ifMatch, current.changeSeq)) return refused(preconditionFailed(show(current)))
  const target = category.links.get(name)?.target ?? ''
  for (const added of add) if (world.categoryOf(added) !== target) return refused(invalidLink(name, target))
  const stored = JSON.parse(current.members.get(name) ?? '[]') as string[]
  // An id in both lists stays (A31).
  const gone = new Set(remove)
  const merged = [...new Set([...stored.filter((other) => !gone.has(other)), ...add])]
  const members = new Map(current.members).set(name, rawValue(merged))
  return shown(200, world.put({ ...current, members }))
}

/** Places: the carriers first, the tombstone last, so that no client holds a link to what is gone (A13). */
export function decideDelete(world: WorldState, actor: Actor, { category, id }: Of<'delete'>): Answer {
  const gone: Answer = { kind: 'body', status: 204, body: '' }
  const current = world.find(id)
  if (current === null || current.category !== category) return gone
  for (const carrier of world.possibleCarriers(id)) {
    if (carrier.id === id) continue
    const members = new Map(carrier.members)
    if (scrub(carrier.category, members, id)) world.put({ ...carrier, members })
  }
  if (world.record?.owner_character === id) world.changeRecord({ owner_character: null })
  world.remove(current, actor.membership)
  return gone
}

/** Members of an element that is made or replaced whole. */
export function membersOf(category: Category, input: ElementInput): Members {
  const members = merge(new Map(), input)
  if (category.slug === 'pin') settleGenericLink(members, input.values)
  return members
}

export function create(world: WorldState, actor: Actor, category: Category, id: string, members: Members): Element {
  return world.put({ id, category, members, createdAt: world.now, createdBy: actor.membership })
}

function merge(stored: Members, { values, extensions }: ElementInput): Members {
  const members = new Map(stored)
  for (const [name, value] of values) members.set(name, rawValue(value))
  for (const [name, raw] of extensions) members.set(name, raw)
  return members
}

/** An element that is being written may name itself (A25). */
function linkFaultOf(
  world: WorldState,
  category: Category,
  id: string,
  members: Members,
  { values }: ElementInput,
): Refusal | null {
  return linkFault(category, members, values, (target) => (target === id ? category.slug : world.categoryOf(target)))
}

function shown(status: number, element: Element): Answer {
  return { kind: 'body', status, body: show(element) }
}
