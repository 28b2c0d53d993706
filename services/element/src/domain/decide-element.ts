/** Decides single writes of elements, in the order of checks 15 to 19 of the contract. */
import { extensionsOf, idsOf, isOverStoredLimit, type Members, rawValue, scrub } from '@worlds/domain/element-body'
import { type ElementInput, extensionsFault } from '@worlds/domain/element-input'
import {
  elementTooLarge,
  idConflict,
  invalidLink,
  notFound,
  preconditionFailed,
  type Refusal,
} from '@worlds/domain/errors'
import { matchesSeq } from '@worlds/domain/headers'
import type { Category } from '@worlds/domain/registry'
import type { View } from '@worlds/domain/view'
import { type Actor, type Answer, done, type Intent, refused } from './intent'
import { linkFault, settleGenericLink } from './links'
import { authorFault, keepUnseen, showTo } from './seen'
import type { Element, WorldState } from './world-state'

type Of<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>

/** Who writes, and what of the world it sees. */
export interface Writer extends Actor {
  readonly view: View
}

export function decideCreate(world: WorldState, writer: Writer, { category, id, input }: Of<'create'>): Answer {
  // Whoever does not see what holds the id learns nothing of it (B19).
  if (world.find(id) !== null) return refused(world.isSeen(writer.view, id) ? idConflict('this') : notFound())
  if (world.isHeldElsewhere(id)) return refused(idConflict('another'))
  const members = membersOf(category, input)
  const fault = linkFaultOf(world, writer, category, id, members, input) ?? sizeFault(members)
  if (fault !== null) return refused(fault)
  return shown(world, writer, 201, create(world, writer, category, id, members))
}

export function decidePut(world: WorldState, writer: Writer, { category, id, input }: Of<'put'>): Answer {
  const held = heldFault(world, writer, category, id)
  if (held !== null) return refused(held)
  const current = world.find(id)
  const members = membersOf(category, input)
  const fault = linkFaultOf(world, writer, category, id, members, input)
  if (fault !== null) return refused(fault)
  if (current !== null) return replaceAndShow(world, writer, current, members)
  const tooLarge = sizeFault(members)
  return tooLarge === null ? shown(world, writer, 201, create(world, writer, category, id, members)) : refused(tooLarge)
}

/** Extension fields stay, for who replaces cannot say them (A83, A84). */
export function decideReplace(world: WorldState, writer: Writer, { category, id, input }: Of<'replace'>): Answer {
  const current = findToChange(world, writer, category, id)
  if ('code' in current) return refused(current)
  const members = membersOf(category, input)
  for (const [name, raw] of extensionsOf(category, current.members)) members.set(name, raw)
  const fault = linkFaultOf(world, writer, category, id, members, input)
  if (fault !== null) return refused(fault)
  return replaceAndShow(world, writer, current, members)
}

export function decidePatch(world: WorldState, writer: Writer, intent: Of<'patch'>): Answer {
  const { category, id, input, ifMatch } = intent
  const current = findToChange(world, writer, category, id)
  if ('code' in current) return refused(current)
  const members = merge(knownTo(world, writer, current), input)
  const tooLarge = input.extensions.size === 0 ? null : extensionsFault(extensionsOf(category, members))
  if (tooLarge !== null) return refused(tooLarge)
  const stale = staleFault(world, writer, current, ifMatch)
  if (stale !== null) return refused(stale)
  if (category.slug === 'pin') settleGenericLink(members, input.values)
  const fault = linkFault(category, members, input.values, (target) => world.categorySeen(writer.view, target))
  if (fault !== null) return refused(fault)
  return replaceAndShow(world, writer, current, members)
}

export function decideLinks(world: WorldState, writer: Writer, intent: Of<'links'>): Answer {
  const { category, id, field: name, add, remove, ifMatch } = intent
  const current = findToChange(world, writer, category, id)
  if ('code' in current) return refused(current)
  const stale = staleFault(world, writer, current, ifMatch)
  if (stale !== null) return refused(stale)
  const target = category.links.get(name)?.target ?? ''
  for (const added of add) {
    if (world.categorySeen(writer.view, added) !== target) return refused(invalidLink(name, target))
  }
  const stored = JSON.parse(current.members.get(name) ?? '[]') as string[]
  // An id in both lists stays (A31), and so does one that the writer does not see (B17).
  const gone = new Set(remove.filter((other) => world.isSeen(writer.view, other)))
  const merged = [...new Set([...stored.filter((other) => !gone.has(other)), ...add])]
  const members = new Map(current.members).set(name, rawValue(merged))
  const tooLarge = sizeFault(members)
  return tooLarge === null ? shown(world, writer, 200, world.put({ ...current, members })) : refused(tooLarge)
}

/** Places: the carriers first, the tombstone last, so that no client holds a link to what is gone (A13). */
export function decideDelete(world: WorldState, writer: Writer, intent: Of<'delete'>): Answer {
  const { id } = intent
  const current = world.find(id)
  const answer = deleteAnswer(world, writer, intent)
  if (answer !== null || current === null) return answer ?? done
  for (const carrier of world.possibleCarriers(id)) if (carrier.id !== id) unlink(world, carrier, id)
  world.remove(current, writer.membership)
  // Nobody plays a Character that is no more (B13).
  if (world.record?.owner_character === id) world.changeRecord({ owner_character: null })
  for (const member of [...world.members()]) {
    if (member.character === id) world.changeMember({ ...member, character: null })
  }
  return done
}

/** What a deletion is answered with that deletes nothing; null for one that does. */
export function deleteAnswer(world: WorldState, { view }: Writer, { category, id }: Of<'delete'>): Answer | null {
  const current = world.find(id)
  if (current === null || current.category !== category || !world.isSeen(view, id)) return done
  const fault = authorFault(view, current)
  return fault === null ? null : refused(fault)
}

/** Takes an id out of all links of an element that holds it. */
export function unlink(world: WorldState, carrier: Element, id: string): void {
  const members = new Map(carrier.members)
  if (scrub(carrier.category, members, new Set([id]))) world.put({ ...carrier, members })
}

/** Why an id cannot be written whole; that another category holds it is told before the author (D31). */
export function heldFault(world: WorldState, { view }: Writer, category: Category, id: string): Refusal | null {
  const current = world.find(id)
  if (current === null) return world.isHeldElsewhere(id) ? idConflict('another') : null
  if (!world.isSeen(view, id)) return notFound()
  return current.category === category ? authorFault(view, current) : idConflict('this')
}

function findToChange(world: WorldState, { view }: Writer, category: Category, id: string): Element | Refusal {
  const current = world.find(id)
  if (current === null || current.category !== category || !world.isSeen(view, id)) return notFound()
  return authorFault(view, current) ?? current
}

/** A pin's two halves are one link: of one that the writer does not see it knows neither (D42). */
function knownTo(world: WorldState, { view }: Writer, { category, members }: Element): Members {
  const field = category.fields.find(({ kind }) => kind === 'generic_id')
  const [linked] = field === undefined ? [] : idsOf(field, members)
  if (linked === undefined || world.isSeen(view, linked)) return members
  const known = new Map(members)
  scrub(category, known, new Set([linked]))
  return known
}

function staleFault(world: WorldState, { view }: Writer, current: Element, ifMatch: string): Refusal | null {
  return matchesSeq(ifMatch, current.changeSeq) ? null : preconditionFailed(showTo(world, view, current))
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

function replaceAndShow(world: WorldState, writer: Writer, current: Element, members: Members): Answer {
  const { view } = writer
  keepUnseen(world, view, current.category, current.members, members)
  const tooLarge = sizeFault(members)
  return tooLarge === null ? shown(world, writer, 200, world.put({ ...current, members })) : refused(tooLarge)
}

export function sizeFault(members: Members): Refusal | null {
  return isOverStoredLimit(members) ? elementTooLarge() : null
}

/** Keeps what the writer does not see of the links that were there. */
export function replace(world: WorldState, { view }: Writer, current: Element, members: Members): Element {
  keepUnseen(world, view, current.category, current.members, members)
  return world.put({ ...current, members })
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
  { view }: Writer,
  category: Category,
  id: string,
  members: Members,
  { values }: ElementInput,
): Refusal | null {
  const categoryOf = (target: string) => (target === id ? category.slug : world.categorySeen(view, target))
  return linkFault(category, members, values, categoryOf)
}

function shown(world: WorldState, { view }: Writer, status: number, element: Element): Answer {
  return { kind: 'body', status, body: showTo(world, view, element) }
}
