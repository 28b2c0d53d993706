import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeEach(async () => {
  own = await newOwner(system)
})
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

describe('DELETE', () => {
  it('[WR-028] of an absent element is 204 and takes no place', async () => {
    const { id } = await own.make('character')
    const replies = [
      await own.delete(`/api/v2/character/${randomUUID()}`),
      await own.delete(`/api/v2/character/${id}`),
      await own.delete(`/api/v2/character/${id}`),
    ]
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
      [204, ''],
    ])
    expect(await own.head()).toBe(2)
  })

  it('[WR-028] under another category is 204 and deletes nothing', async () => {
    const made = await own.make('character')
    expect((await own.delete(`/api/v2/location/${made.id}`)).status).toBe(204)
    expect(await own.read('character', made.id)).toEqual(made)
    expect(await own.head()).toBe(1)
  })

  it('[WR-028] of another world is 204 and deletes nothing', async () => {
    const made = await own.make('character')
    const other = await newOwner(system)
    expect((await other.delete(`/api/v2/character/${made.id}`)).status).toBe(204)
    expect(await own.read('character', made.id)).toEqual(made)
  })

  it('[WR-028] by twenty requests at once takes one place', async () => {
    const { id } = await own.make('character')
    const replies = await Promise.all(Array.from({ length: 20 }, () => own.delete(`/api/v2/character/${id}`)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]))
    expect(await own.head()).toBe(2)
  })
})

describe('what a deletion leaves behind', () => {
  it('[WR-029] no link of any other element', async () => {
    const gone = await own.make('character')
    const other = await own.make('character')
    const carriers = [
      await own.make('character', { friends: [other.id, gone.id], rivals: [gone.id] }),
      await own.make('narrative', { narrator: gone.id, characters: [gone.id], protagonist: other.id }),
      await own.make('pin', { element_type: 'character', element_id: gone.id }),
    ]
    await own.delete(`/api/v2/character/${gone.id}`)
    const [friend, narrative, pin] = await Promise.all(carriers.map(({ type, id }) => own.read(type, id)))
    expect(friend).toMatchObject({ friends: [other.id], rivals: [] })
    expect(narrative).toMatchObject({ narrator: null, characters: [], protagonist: other.id })
    expect(pin).toMatchObject({ element_type: '', element_id: null })
  })

  it('[WR-029] a single link reads null at once', async () => {
    const home = await own.make('location')
    const ann = await own.make('character', { location: home.id, birthplace: home.id })
    await own.delete(`/api/v2/location/${home.id}`)
    expect(await own.read('character', ann.id)).toMatchObject({ location: null, birthplace: null })
    const list = await own.get('/api/v2/character?expand=location')
    expect(list.body.data[0].location).toBeNull()
  })

  it('[WR-029][CF-002] carriers move first, the tombstone comes last', async () => {
    const gone = await own.make('location')
    const carriers = [
      await own.make('character', { location: gone.id }),
      await own.make('character', { birthplace: gone.id, location: gone.id }),
    ]
    await own.make('character')
    const { cursor, head } = expectBody(await own.get('/api/v2/changes'), 200)
    await own.delete(`/api/v2/location/${gone.id}`)
    const { body } = await own.get(`/api/v2/changes?since=${cursor}`)
    expect(body.head).toBe(head + 3)
    expect(body.changes.map(({ op, change_seq }: Body) => [op, change_seq])).toEqual([
      ['upsert', head + 1],
      ['upsert', head + 2],
      ['delete', head + 3],
    ])
    const moved = body.changes.slice(0, 2)
    expect(new Set(moved.map(({ id }: Body) => id))).toEqual(new Set(carriers.map(({ id }) => id)))
    for (const { element } of moved) {
      const before = carriers.find(({ id }) => id === element.id)
      expect(element.updated_at > before.updated_at).toBe(true)
      expect(element).toMatchObject({ location: null, birthplace: null })
    }
  })

  it('[WR-029][WR-046] a carrier that moved is noticed by If-Match', async () => {
    const gone = await own.make('location')
    const ann = await own.make('character', { location: gone.id })
    await own.delete(`/api/v2/location/${gone.id}`)
    const headers = { 'If-Match': String(ann.change_seq) }
    const reply = await own.patch(`/api/v2/character/${ann.id}`, { location: gone.id }, headers)
    expect([reply.status, reply.body.error.code, reply.body.current.location]).toEqual([
      412,
      'precondition_failed',
      null,
    ])
  })

  it('[WR-029] an element that links to itself goes without a place for the link', async () => {
    const id = randomUUID()
    await own.make('character', { id, friends: [id] })
    await own.delete(`/api/v2/character/${id}`)
    expect(await own.head()).toBe(2)
  })

  it('[WR-029] the world without its owner_character, at a new updated_at', async () => {
    const { id } = await own.make('character')
    const before = expectBody(await own.patch('/api/v2/world', { owner_character: id }), 200)
    expect(before.owner_character).toBe(id)
    await own.delete(`/api/v2/character/${id}`)
    const { headers, body } = await own.get('/api/v2/world')
    expect(body.owner_character).toBeNull()
    expect(body.updated_at > before.updated_at).toBe(true)
    expect(headers.get('etag')).not.toBeNull()
  })

  it('[WR-029] nothing that comes back with the id', async () => {
    const gone = await own.make('location')
    const ann = await own.make('character', { location: gone.id })
    await own.delete(`/api/v2/location/${gone.id}`)
    await own.make('location', { id: gone.id })
    expect((await own.read('character', ann.id)).location).toBeNull()
  })

  it('[WR-029] no dangling link, when links are written while the target goes', async () => {
    const gone = await own.make('location')
    const people = await own.seed(
      'character',
      Array.from({ length: 10 }, (_, index) => ({ name: `P${index}` })),
    )
    const link = (id: string) => own.patch(`/api/v2/character/${id}`, { location: gone.id })
    const [removal, ...replies] = await Promise.all([own.delete(`/api/v2/location/${gone.id}`), ...people.map(link)])
    expect(removal?.status).toBe(204)
    for (const { status } of replies) expect([200, 400]).toContain(status)
    const bodies = await Promise.all(people.map((id) => own.read('character', id)))
    expect(bodies.map(({ location }) => location)).toEqual(people.map(() => null))
    expectRefusal(await own.get(`/api/v2/location/${gone.id}`), 404, 'not_found', null)
  })
})
