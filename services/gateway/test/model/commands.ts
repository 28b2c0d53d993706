/** Random commands, and their run against the service and the model. */
import { type Api, api } from '@worlds/testkit/api'
import { addMember, type MemberRole, removeMember, setRole } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import type { World } from '@worlds/testkit/world'
import fc from 'fast-check'
import { fields, type Item, type Links, type Model, type ModelElement, type Reader, type Type } from './model'

const types = ['character', 'narrative', 'location', 'pin'] as const
const nat = fc.nat(999)
const links = fc.record({ multi: fc.array(nat, { maxLength: 3 }), single: fc.option(nat) })
const item = fc.record({ type: fc.constantFrom(...types, 'character' as const, 'narrative' as const), id: nat, links })

/** Numbers stand for ids and readers of a world that does not exist yet. */
export const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('post' as const, 'put' as const), by: nat, item }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('patch' as const), by: nat, item }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('links' as const),
      by: nat,
      id: nat,
      add: fc.array(nat, { maxLength: 2 }),
      remove: fc.array(nat, { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), by: nat, item }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('hide' as const, 'hide' as const, 'unhide' as const), by: nat, item }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('bulk' as const), by: nat, items: fc.array(item, { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('role' as const),
      who: nat,
      role: fc.constantFrom<MemberRole>('co_builder', 'contributor', 'guest'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('character' as const), who: nat, character: fc.option(nat) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('owner-character' as const), character: fc.option(nat) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), who: nat }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      role: fc.constantFrom<MemberRole>('co_builder', 'contributor', 'guest'),
      character: fc.option(nat),
    }),
  },
)

export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

export interface Stage {
  readonly system: System
  readonly world: World
  readonly model: Model
  /** By membership; the owner's under null. */
  readonly apis: Map<string | null, Api>
  /** Ids that elements are made under, and those of the members' own Characters. */
  readonly ids: string[]
}

/** Runs one command and returns what it answered, and what the model says it must. */
export async function run(stage: Stage, sent: Command): Promise<{ got: unknown; expected: unknown }> {
  const { model, apis, world } = stage
  const owner = model.readers[0] as Reader
  const members = model.readers.slice(1).filter(({ status }) => status === 'active')
  switch (sent.kind) {
    case 'role': {
      const who = at(members, sent.who)
      await setRole(stage.system, world, who.id as string, sent.role)
      model.setRole(who, sent.role)
      return { got: null, expected: null }
    }
    case 'character': {
      const given = members.filter(({ kind, canWrite }) => kind === 'agent' || !canWrite)
      if (given.length === 0) return nothing
      const who = at(given, sent.who)
      const character = sent.character === null ? null : at(stage.ids, sent.character)
      const path = `/api/v2/account/worlds/${world.world}/members/${who.id}`
      const reply = await bearer(stage).patch(path, { character })
      return { got: reply.status, expected: model.setCharacter(who, character) }
    }
    case 'owner-character': {
      const character = sent.character === null ? null : at(stage.ids, sent.character)
      const reply = await (apis.get(null) as Api).patch('/api/v2/world', { owner_character: character })
      return { got: reply.status, expected: model.setCharacter(owner, character) }
    }
    case 'remove': {
      // Some stay to be watched.
      if (members.length < 4) return nothing
      const who = at(members, sent.who)
      await removeMember(stage.system, world, who.id as string)
      who.status = 'removed'
      const { status } = await (apis.get(who.id) as Api).get('/api/v2/me')
      return { got: status, expected: 401 }
    }
    case 'join':
      return model.readers.length < 9 ? join(stage, sent.role, sent.character) : nothing
    default:
      return write(stage, sent)
  }
}

const nothing = { got: null, expected: null }

/** A guest gets a Character of its own, whatever it asks for; others play one that is there, or nobody. */
async function join({ system, world, model, apis, ids }: Stage, role: MemberRole, n: number | null) {
  const wanted = n === null || role === 'guest' ? null : at(ids, n)
  const isPlayable = wanted === null || (model.elements.get(wanted)?.type === 'character' && !model.hidden.has(wanted))
  const options = wanted === null ? {} : { rosterCharacter: wanted }
  const member = await addMember(system, world, role, options).catch((error: Error) => error)
  if (member instanceof Error)
    return { got: /^refused: (\d+)/.exec(member.message)?.[1], expected: isPlayable ? '' : '400' }
  const { membership, character } = member
  apis.set(membership, api(system.gateway, member.headers))
  model.readers.push({ id: membership, kind: 'person', canWrite: true, role, character, status: 'active' })
  if (role === 'guest' && character !== null) {
    model.elements.set(character, {
      id: character,
      type: 'character',
      createdBy: membership,
      links: { friends: [], location: [] },
    })
    ids.push(character)
  }
  return { got: [isPlayable, role === 'guest' ? null : character], expected: [true, wanted] }
}

type Write = Exclude<Command, { kind: 'role' | 'character' | 'owner-character' | 'remove' | 'join' }>

async function write(stage: Stage, sent: Write): Promise<{ got: unknown; expected: unknown }> {
  const { model, apis } = stage
  const by = writerOf(stage, sent)
  const api = apis.get(by.id) as Api
  if (sent.kind === 'links') {
    const id = idOf(stage, by, sent.id, false)
    const type = model.elements.get(id)?.type === 'narrative' ? 'narrative' : 'character'
    const field = type === 'narrative' ? 'characters' : 'friends'
    const [add, remove] = [sent.add, sent.remove].map((list) =>
      unique(list.map((n) => targetOf(stage, 'character', n))),
    )
    const reply = await api.post(`/api/v2/${type}/${id}/links/${field}`, { add, remove })
    return { got: reply.status, expected: model.editLinks(by, type, id, field, add ?? [], remove ?? []) }
  }
  if (sent.kind === 'bulk') {
    const items = sent.items.map((one) => itemOf(stage, by, one, true))
    const distinct = items.filter(({ id }, index) => items.findIndex((other) => other.id === id) === index)
    const body = { items: distinct.map((one) => ({ type: one.type, element: { id: one.id, ...bodyOf(one) } })) }
    const reply = await api.post('/api/v2/bulk', body)
    return { got: reply.body.items.map(({ status }: { status: number }) => status), expected: model.bulk(by, distinct) }
  }
  const one = itemOf(stage, by, sent.item, sent.kind === 'post' || sent.kind === 'put')
  const path = `/api/v2/${one.type}`
  const own = `${path}/${one.id}`
  switch (sent.kind) {
    case 'post':
      return { got: (await api.post(path, { id: one.id, ...bodyOf(one) })).status, expected: model.post(by, one) }
    case 'put':
      return { got: (await api.put(own, bodyOf(one))).status, expected: model.put(by, one) }
    case 'patch':
      return { got: (await api.patch(own, bodyOf(one))).status, expected: model.patch(by, one) }
    case 'delete':
      return { got: (await api.delete(own)).status, expected: model.delete(by, one.type, one.id) }
    default: {
      const hidden = sent.kind === 'hide'
      const target = sent.item.id % 2 === 0 ? (linkedOf(stage, sent.item.id) ?? one) : one
      const mark = `/api/v2/${target.type}/${target.id}/hidden`
      const reply = await (hidden ? api.put(mark) : api.delete(mark))
      return { got: reply.status, expected: model.setHidden(by, target.type, target.id, hidden) }
    }
  }
}

/** Who may not hide is refused before all else: mostly others try. */
function writerOf({ model }: Stage, sent: Write): Reader {
  const all = model.readers.filter(({ canWrite, status }) => canWrite && status === 'active')
  const full = all.filter(({ role }) => role === 'owner' || role === 'co_builder')
  const isMark = sent.kind === 'hide' || sent.kind === 'unhide'
  return at(isMark && sent.by % 6 !== 0 ? full : all, sent.by)
}

/** Something that an element of a member's links to. */
function linkedOf({ model }: Stage, n: number): ModelElement | null {
  const carriers = [...model.elements.values()].filter(({ createdBy }) => createdBy !== null)
  const targets = carriers.flatMap(({ links }) => Object.values(links).flat())
  return targets.length === 0 ? null : (model.elements.get(at(targets, n >> 1)) ?? null)
}

/** Most items name an element that is there, by its own type, and half of those the writer's own: else most writes would miss. */
function itemOf(
  stage: Stage,
  by: Reader,
  sent: { type: Type; id: number; links: { multi: number[]; single: number | null } },
  isMaking: boolean,
): Item {
  const id = idOf(stage, by, sent.id, isMaking)
  const there = stage.model.elements.get(id)
  const type = there !== undefined && sent.id % 4 !== 0 ? there.type : sent.type
  const links: Links = {}
  for (const [field, { multi, target }] of Object.entries(fields[type])) {
    const one = sent.links.single === null ? [] : [targetOf(stage, target, sent.links.single)]
    links[field] = multi ? unique(sent.links.multi.map((n) => targetOf(stage, target, n))) : one
  }
  return { type, id, links }
}

function idOf({ model, ids }: Stage, by: Reader, n: number, isMaking: boolean): string {
  const own = [...model.elements.values()].filter(({ createdBy }) => createdBy === by.id)
  if (n % 2 === 0 && own.length > 0) return at(own, n >> 1).id
  const free = ids.filter((id) => !model.elements.has(id))
  if (isMaking && n % 3 !== 0 && free.length > 0) return at(free, n)
  return n % 7 === 0 ? at(ids, n) : at([...model.elements.keys()], n)
}

/** Links are mostly of the right category, seen or not. */
function targetOf({ model, ids }: Stage, target: Type, n: number): string {
  const right = [...model.elements.values()].filter(({ type }) => type === target)
  return n % 8 !== 0 && right.length > 0 ? at(right, n).id : at(ids, n)
}

function bodyOf({ type, links }: Item): Record<string, unknown> {
  const body: Record<string, unknown> = { name: 'x' }
  for (const [field, ids] of Object.entries(links)) {
    const { multi } = fields[type][field] ?? {}
    body[field] = multi ? ids : (ids[0] ?? null)
    if (field === 'element_id') body.element_type = ids.length === 0 ? '' : 'character'
  }
  return body
}

function bearer({ system, world }: Stage): Api {
  return api(system.gateway, { Authorization: `Bearer ${world.token}` })
}

function at<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}
