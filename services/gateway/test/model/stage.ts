/** A world with a reader of every kind, in the service and in the model. */
import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat } from '@worlds/testkit/members'
import type { System } from '@worlds/testkit/system'
import { newWorld } from '@worlds/testkit/world'
import type { Stage } from './commands'
import type { Body } from './follower'
import { fields, Model, type ModelElement, type Reader, type Role, type Type } from './model'

export async function newStage(system: System): Promise<Stage> {
  const world = await newWorld(system)
  const model = new Model()
  const owner = api(system.gateway, world.headers)
  const apis = new Map<string | null, Api>([[null, owner]])
  const add = (id: string | null, kind: Reader['kind'], role: Role, character: string | null, canWrite = true) =>
    model.readers.push({ id, kind, role, character, canWrite, status: 'active' })
  add(null, 'owner', 'owner', null)
  for (const role of ['co_builder', 'contributor', 'guest'] as const) {
    const { membership, character, headers } = await addMember(system, world, role)
    apis.set(membership, api(system.gateway, headers))
    add(membership, 'person', role, character)
  }
  const seat = await addSeat(system, world)
  apis.set(seat.membership, api(system.gateway, seat.headers))
  add(seat.membership, 'agent', 'contributor', seat.character)
  const player = await addPlayer(system, world)
  apis.set(player.membership, api(system.gateway, player.headers))
  add(player.membership, 'person', 'guest', player.character, false)

  const made = await bodiesOf(owner, 'character')
  for (const { id, type, created_by } of made) {
    model.elements.set(id, { id, type, createdBy: created_by as string, links: { friends: [], location: [] } })
  }
  const ids = [...made.map(({ id }) => id), ...Array.from({ length: 5 }, () => randomUUID())]
  const stage = { system, world, model, apis, ids }
  await seed(stage)
  return stage
}

/** Whoever writes has made a story that names somebody, and a Character with a friend: there is much to hide. */
async function seed({ model, apis, ids }: Stage): Promise<void> {
  const characters = [...model.elements.keys()]
  for (const [index, reader] of model.readers.filter(({ canWrite }) => canWrite).entries()) {
    const own = apis.get(reader.id) as Api
    const [named, friend] = [characters[index % characters.length], characters[(index + 1) % characters.length]]
    const story = { id: randomUUID(), type: 'narrative' as const, links: linksTo(model, reader, { characters: named }) }
    const somebody = {
      id: randomUUID(),
      type: 'character' as const,
      links: linksTo(model, reader, { friends: friend }),
    }
    for (const { id, type, links } of [story, somebody]) {
      const reply = await own.put(`/api/v2/${type}/${id}`, { name: 'seed', ...links })
      expect([reply.status, model.put(reader, { id, type, links })]).toEqual([201, 201])
      if (type === 'narrative') ids.push(id)
    }
  }
}

function linksTo(model: Model, reader: Reader, links: Record<string, string | undefined>): Record<string, string[]> {
  const seen = ([field, id]: [string, string | undefined]) => [field, id && model.isSeen(reader, id) ? [id] : []]
  return Object.fromEntries(Object.entries(links).map(seen))
}

/** A walk of a whole list by small pages; places ascend. */
export async function bodiesOf(own: Api, type: Type, query = ''): Promise<Body[]> {
  const bodies: Body[] = []
  for (let cursor = ''; ; ) {
    const { status, body, text } = await own.get(`/api/v2/${type}?limit=4${query}${cursor}`)
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
    expect(body.has_more).toBe(body.next_cursor !== null)
    if (body.has_more) expect(body.data).toHaveLength(4)
    bodies.push(...body.data)
    if (!body.has_more) break
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
  const places = bodies.map(({ change_seq }) => change_seq as number)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  return bodies
}

/** As much of a body as the model knows. */
export function plain(body: Body): ModelElement {
  const links = Object.keys(fields[body.type]).map((field) => [field, [body[field] ?? []].flat()])
  return { id: body.id, type: body.type, createdBy: body.created_by as string | null, links: Object.fromEntries(links) }
}
