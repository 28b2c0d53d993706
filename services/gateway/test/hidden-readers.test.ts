import { randomUUID } from 'node:crypto'
import type { Api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused, newParty, type Party, writerOf } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const readers = [
  'contributor',
  'contributor seat',
  'read key of a contributor',
  'guest',
  'guest seat',
  'read key of a guest',
  'player',
] as const

/** Everything here names the reader's Character, or who is on the roster, so that guests would see it too. */
describe.each(readers)('what is hidden, to a %s', (name) => {
  let reader: Party
  /** On the roster, and made by the owner. */
  let hub: string
  let characters: string[]
  beforeEach(async () => {
    own = await newOwner(system)
    reader = await newParty(system, own, name)
    hub = (await own.make('character', { name: 'Hub' })).id
    expectBody(await own.patch('/api/v2/world', { owner_character: hub }), 200)
    characters = [reader.character ?? (await own.make('character')).id]
  })

  const hide = async (type: string, id: string) =>
    expect((await own.put(`/api/v2/${type}/${id}/hidden`)).status).toBe(204)
  const make = async (type: string, fields: Body = {}): Promise<string> =>
    (await own.make(type, { characters, ...fields })).id
  const idsOf = async (path: string, by: Api = reader): Promise<string[]> =>
    expectBody(await by.get(`/api/v2/${path}`), 200).data.map(({ id }: Body) => id)

  it('[HD-033][HD-034][HD-035] reads as if it were not there, and never as gone', async () => {
    const id = await make('narrative')
    expectBody(await reader.get(`/api/v2/narrative/${id}`), 200)
    await hide('narrative', id)
    await hide('character', hub)
    const absent = (await reader.get(`/api/v2/narrative/${randomUUID()}`)).text
    for (const path of [`narrative/${id}`, `character/${hub}`]) {
      const reply = await reader.get(`/api/v2/${path}`)
      expectRefused(reply, 404, 'not_found')
      expect(reply.text).toBe(absent)
    }
  })

  it('[HD-010] reads again as it is once it is shown', async () => {
    const id = await make('narrative')
    await hide('narrative', id)
    expectRefused(await reader.get(`/api/v2/narrative/${id}`), 404, 'not_found')
    expect((await own.delete(`/api/v2/narrative/${id}/hidden`)).status).toBe(204)
    expect(expectBody(await reader.get(`/api/v2/narrative/${id}`), 200)).toEqual(await own.read('narrative', id))
    expect(await idsOf('narrative')).toEqual([id])
  })

  it('[HD-036][HD-040] is in no list, and counts for no page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) ids.push(await make('narrative', { name: `${n}` }))
    for (const n of [0, 3, 6]) await hide('narrative', ids[n] as string)
    const seen = [1, 2, 4, 5].map((n) => ids[n])
    expect(await idsOf('narrative')).toEqual(seen)
    const first = expectBody(await reader.get('/api/v2/narrative?limit=2'), 200)
    expect([first.data.map(({ id }: Body) => id), first.has_more]).toEqual([seen.slice(0, 2), true])
    const second = expectBody(await reader.get(`/api/v2/narrative?limit=2&cursor=${first.next_cursor}`), 200)
    expect(second).toMatchObject({ has_more: false, next_cursor: null })
    expect(second.data.map(({ id }: Body) => id)).toEqual(seen.slice(2))
  })

  it('[HD-037] is found by no filter, and finds nothing by itself', async () => {
    const open = await make('narrative', { characters: [...characters, hub] })
    await hide('narrative', await make('narrative'))
    expect(await idsOf(`narrative?characters=${characters[0]}`)).toEqual([open])
    expect(await idsOf('narrative?name=Someone')).toEqual([open])
    await hide('character', hub)
    expect(await idsOf(`narrative?characters=${hub}`)).toEqual([])
    expect(await idsOf(`narrative?characters=${hub}`, own)).toEqual([open])
  })

  it('[HD-042][HD-043][HD-044][HD-045] is linked to from nothing that reads otherwise as before', async () => {
    const other = await make('narrative')
    const links = { characters: [...characters, hub], narratives: [other], founder: hub }
    const id = await make('construct', links)
    const before = expectBody(await reader.get(`/api/v2/construct/${id}`), 200)
    expect(before).toMatchObject({ narratives: [other], founder: hub })
    await hide('narrative', other)
    await hide('character', hub)
    const cut = { ...before, characters, narratives: [], founder: null }
    expect(expectBody(await reader.get(`/api/v2/construct/${id}`), 200)).toEqual(cut)
    expect(expectBody(await reader.get('/api/v2/construct'), 200).data).toEqual([cut])
    const expanded = expectBody(await reader.get(`/api/v2/construct/${id}?expand=characters,narratives,founder`), 200)
    expect([expanded.narratives, expanded.founder, expanded.characters.map((one: Body) => one.id)]).toEqual([
      [],
      null,
      characters,
    ])
    const listed = expectBody(await reader.get('/api/v2/construct?expand=narratives,founder'), 200).data
    expect([listed[0].narratives, listed[0].founder]).toEqual([[], null])
    expect(await own.read('construct', id)).toEqual(before)
  })

  // A player creates nothing but its Character.
  if (name !== 'player') {
    it('[HD-032][HD-034] is still there when it created it', async () => {
      const created = expectBody(await writerOf(reader).post('/api/v2/event', { name: 'Mine' }), 201)
      await hide('event', created.id)
      expect(expectBody(await reader.get(`/api/v2/event/${created.id}`), 200)).toEqual(created)
      expect(await idsOf('event')).toEqual([created.id])
      const body = { name: 'Linked', events: [created.id] }
      expect(expectBody(await writerOf(reader).post('/api/v2/narrative', body), 201).events).toEqual([created.id])
    })
  }

  if (name !== 'contributor' && name !== 'read key of a contributor') {
    it('[HD-034] is still there when it is its Character, which it created by coming', async () => {
      await hide('character', reader.character ?? '')
      const { id, created_by } = expectBody(await reader.get(`/api/v2/character/${reader.character}`), 200)
      expect([id, created_by]).toEqual([reader.character, reader.membership])
      const open = await make('narrative')
      expect(await idsOf(`narrative?characters=${reader.character}`)).toEqual([open])
    })
  }
})

describe('what a contributor’s sponsor and seat created', () => {
  it('[HD-032] is its own to each of them alone', async () => {
    own = await newOwner(system)
    const [seat, person] = [await newParty(system, own, 'contributor seat'), await newParty(system, own, 'contributor')]
    const { id } = expectBody(await seat.post('/api/v2/event', { name: 'E' }), 201)
    expect((await own.put(`/api/v2/event/${id}/hidden`)).status).toBe(204)
    expectBody(await seat.get(`/api/v2/event/${id}`), 200)
    expectRefused(await person.get(`/api/v2/event/${id}`), 404, 'not_found')
  })
})
