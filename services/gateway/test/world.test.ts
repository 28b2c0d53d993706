import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, newReader, type Owner, timestampForm, uuidForm } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const world = async (): Promise<Body> => expectBody(await own.get('/api/v2/world'), 200)

/** Expects a PATCH to be refused with the world as it was. */
async function expectUnchanged(patch: unknown, code: string, param: string | null): Promise<void> {
  const before = await world()
  expectError(await own.patch('/api/v2/world', patch), code, param)
  expect(await world()).toEqual(before)
}

describe('the world record', () => {
  it('[WD-002][WD-003][WD-005][WD-006][WD-007][WD-008][WD-009][WD-010][WD-011][WD-012][WD-013][WD-015][WD-016][WD-017] is whole and nothing more', async () => {
    expect(await world()).toEqual({
      id: own.world,
      name: 'World',
      description: '',
      image_url: '',
      time_format_names: [],
      time_format_equivalents: [],
      time_basic_unit: '',
      time_range_min: null,
      time_range_max: null,
      time_range_current: null,
      public_read: false,
      owner_character: null,
      created_at: expect.stringMatching(timestampForm),
      updated_at: expect.stringMatching(timestampForm),
    })
    expect(own.world).toMatch(uuidForm)
  })

  it('[WD-001] belongs to exactly one owner', async () => {
    const { data } = expectBody(await own.get('/api/v2/members'), 200)
    expect(data.map(({ kind }: Body) => kind)).toEqual(['owner'])
  })

  it('[WD-017] reads the same by a read key', async () => {
    const reader = await newReader(system, own)
    expect(expectBody(await reader.get('/api/v2/world'), 200)).toEqual(await world())
  })

  it('[WD-021] is told to a good key alone', async () => {
    expect((await own.get('/api/v2/world')).status).toBe(200)
    const stranger = api(system.gateway, { 'API-Key': `ow_w_${'z'.repeat(43)}` })
    expectError(await stranger.get('/api/v2/world'), 'invalid_credentials')
  })
})

describe('the ETag', () => {
  it('[WD-018][WD-019] of the world answers 304 without a body when sent back', async () => {
    const first = await own.get('/api/v2/world')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/)
    const second = await own.get('/api/v2/world', { 'If-None-Match': etag })
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', etag])
  })

  it.each(['*', 'several'])('[WD-019] answers 304 for If-None-Match %s too', async (form) => {
    const etag = (await own.get('/api/v2/world')).headers.get('etag') ?? ''
    const sent = form === '*' ? '*' : `"other", ${etag}`
    expect((await own.get('/api/v2/world', { 'If-None-Match': sent })).status).toBe(304)
  })

  it('[WD-020] is another one after a change, and the old one answers 200', async () => {
    const old = (await own.get('/api/v2/world')).headers.get('etag') ?? ''
    expectBody(await own.patch('/api/v2/world', { description: 'Changed' }), 200)
    const reply = await own.get('/api/v2/world', { 'If-None-Match': old })
    expect([reply.status, reply.body.description]).toEqual([200, 'Changed'])
    expect(reply.headers.get('etag')).not.toBe(old)
  })

  it('[WD-020] follows what the account sets', async () => {
    const old = (await own.get('/api/v2/world')).headers.get('etag') ?? ''
    const account = accountApi(system.gateway, own.token)
    expectBody(await account.patch(`/api/v2/account/worlds/${own.world}`, { public_read: true }), 200)
    const reply = await own.get('/api/v2/world', { 'If-None-Match': old })
    expect([reply.status, reply.body.public_read]).toEqual([200, true])
  })
})

describe('a change of the world', () => {
  it('[WD-024] answers 200 with the record as it reads then', async () => {
    const reply = await own.patch('/api/v2/world', { description: 'Told' })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual(await world())
    expect(reply.body.description).toBe('Told')
  })

  it.each([
    ['WD-028', { name: 'Another' }],
    ['WD-029', { description: 'Long\nand "quoted" 🜁' }],
    ['WD-030', { image_url: 'https://img.example.org/w.webp' }],
    ['WD-031', { time_basic_unit: 'Year' }],
    ['WD-032', { time_format_names: ['Year', 'Month'] }],
    ['WD-033', { time_format_equivalents: ['1', '12'] }],
    ['WD-034', { time_range_min: -5 }],
    ['WD-035', { time_range_max: 5 }],
    ['WD-036', { time_range_current: 0 }],
  ])('[%s] of %j is read back and touches nothing else', async (_clause, patch) => {
    const { updated_at, ...rest } = await world()
    expectBody(await own.patch('/api/v2/world', patch), 200)
    const after = await world()
    expect(after).toEqual({ ...rest, ...patch, updated_at: expect.stringMatching(timestampForm) })
    expect(after.updated_at > updated_at).toBe(true)
  })

  it.each([
    ['WD-010][WD-034', 'time_range_min'],
    ['WD-011][WD-035', 'time_range_max'],
    ['WD-012][WD-036', 'time_range_current'],
  ])('[%s] sets %s and clears it with null', async (_clauses, field) => {
    expect(expectBody(await own.patch('/api/v2/world', { [field]: 5 }), 200)[field]).toBe(5)
    expect((await world())[field]).toBe(5)
    expect(expectBody(await own.patch('/api/v2/world', { [field]: null }), 200)[field]).toBeNull()
    expect((await world())[field]).toBeNull()
  })

  it.each([
    ['"7"', '7', 7],
    ['7.9', 7.9, 7],
    ['-7.9', -7.9, -7],
    ['true', true, 1],
    ['false', false, 0],
  ])('[WD-034] reads the number %s as elements do', async (_name, sent, stored) => {
    expect(expectBody(await own.patch('/api/v2/world', { time_range_min: sent }), 200).time_range_min).toBe(stored)
  })

  it('[WD-015][WD-037] names a Character of the world as its owner, and none', async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id.toUpperCase() }), 200)
    expect((await world()).owner_character).toBe(id)
    expectBody(await own.patch('/api/v2/world', { owner_character: null }), 200)
    expect((await world()).owner_character).toBeNull()
  })

  it('[WD-015] loses its owner_character with the Character, and its updated_at and ETag move', async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id }), 200)
    const before = await own.get('/api/v2/world')
    expect((await own.delete(`/api/v2/character/${id}`)).status).toBe(204)
    const after = await own.get('/api/v2/world')
    expect(after.body.owner_character).toBeNull()
    expect(after.body.updated_at > before.body.updated_at).toBe(true)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  })

  it('[WD-040] moves updated_at when it says what was there already', async () => {
    const { name, updated_at } = await world()
    const again = expectBody(await own.patch('/api/v2/world', { name }), 200)
    expect(again.updated_at > updated_at).toBe(true)
  })

  it('[WD-024] takes no place in the change sequence', async () => {
    const head = await own.head()
    expectBody(await own.patch('/api/v2/world', { description: 'Quiet' }), 200)
    expect(await own.head()).toBe(head)
  })

  it('[WD-024] is seen by the account at once', async () => {
    expectBody(await own.patch('/api/v2/world', { name: 'Renamed' }), 200)
    const account = accountApi(system.gateway, own.token)
    expect(expectBody(await account.get(`/api/v2/account/worlds/${own.world}`), 200).name).toBe('Renamed')
  })

  it('[WD-025] without the PIN is 401 and writes nothing', async () => {
    const before = await world()
    const keyed = api(system.gateway, { 'API-Key': own.key })
    expectError(await keyed.patch('/api/v2/world', { description: 'x' }), 'invalid_credentials')
    expect(await world()).toEqual(before)
  })
})

describe('a refused change of the world', () => {
  it.each<[string, Body, string]>([
    ['WD-004', { name: '' }, 'name'],
    ['WD-004', { name: null }, 'name'],
    ['WD-014', { public_read: true, name: 'x' }, 'public_read'],
    ['WD-014', { name: 'x', public_read: false }, 'public_read'],
    ['WD-028', { name: {} }, 'name'],
    ['WD-028', { name: 'x'.repeat(256) }, 'name'],
    ['WD-029', { description: [] }, 'description'],
    ['WD-030', { image_url: 'x'.repeat(1025) }, 'image_url'],
    ['WD-031', { time_basic_unit: true }, 'time_basic_unit'],
    ['WD-032', { time_format_names: ['a', {}] }, 'time_format_names'],
    ['WD-032', { time_format_names: 'a' }, 'time_format_names'],
    ['WD-033', { time_format_equivalents: ['a', 5, null] }, 'time_format_equivalents'],
    ['WD-033', { time_format_equivalents: {} }, 'time_format_equivalents'],
    ['WD-034', { time_range_min: 'abc' }, 'time_range_min'],
    ['WD-035', { time_range_max: 'abc' }, 'time_range_max'],
    ['WD-036', { time_range_current: 'abc' }, 'time_range_current'],
    ['WD-036', { time_range_current: 2 ** 31 }, 'time_range_current'],
    ['WD-038', { owner_character: 'nope' }, 'owner_character'],
    ['WD-038', { owner_character: '' }, 'owner_character'],
    ['WD-039', { description: 'x', foo: 1 }, 'foo'],
    ['WD-039', { description: 'x', id: randomUUID() }, 'id'],
    ['WD-039', { updated_at: '2026-01-01T00:00:00Z' }, 'updated_at'],
    ['WD-041', { pin: 1234 }, 'pin'],
  ])('[%s] of %j is 422 and nothing is written', async (_clause, patch, param) => {
    await expectUnchanged(patch, 'invalid_request', param)
  })

  it.each(['[]', '5', 'null', '{', ''])('[WD-039] of the body %j is 422 and nothing is written', async (body) => {
    await expectUnchanged(body, 'invalid_request', null)
  })

  it('[WD-038] names an owner_character that is no Character of this world', async () => {
    const other = await newOwner(system)
    const ids = [randomUUID(), (await own.make('location')).id, (await other.make('character')).id]
    for (const id of ids) await expectUnchanged({ name: 'x', owner_character: id }, 'invalid_link', 'owner_character')
  })

  it('[WD-038] names an owner_character that was deleted', async () => {
    const { id } = await own.make('character')
    expect((await own.delete(`/api/v2/character/${id}`)).status).toBe(204)
    await expectUnchanged({ owner_character: id }, 'invalid_link', 'owner_character')
  })
})
