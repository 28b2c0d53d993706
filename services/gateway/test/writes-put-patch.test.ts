import { randomUUID } from 'node:crypto'
import { categories } from '@worlds/domain/registry'
import { type System, startSystem } from '@worlds/testkit/system'
import { emptyFields, expectRefusal, filledFields, newOwner, type Owner } from './support'

let system: System
let own: Owner
let people: string[]
let home: string
const targets = new Map<string, string>()

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  for (const slug of categories.keys()) targets.set(slug, (await own.make(slug)).id)
  people = await own.seed(
    'character',
    ['Bob', 'Cid', 'Dan'].map((name) => ({ name })),
  )
  home = (await own.make('location')).id
})
afterAll(() => system.stop())

describe('PUT', () => {
  it('[WR-015] creates when the id is absent', async () => {
    const id = randomUUID()
    const { status, body } = await own.put(`/api/v2/character/${id}`, { name: 'Ann' })
    expect([status, body.id, body.name, body.created_by]).toEqual([201, id, 'Ann', null])
    expect(await own.read('character', id)).toEqual(body)
  })

  it.each([...categories.keys()])('[WR-016] replaces a full %s whole', async (slug) => {
    const texts = { description: 'A', supertype: 'B', subtype: 'C', image_url: 'D' }
    const extensions = { x_a: 1, tool_b: [2], shadow_c: {} }
    const made = await own.make(slug, { ...texts, ...filledFields(slug, targets), ...extensions })
    const { status, body } = await own.put(`/api/v2/${slug}/${made.id}`, { name: 'Bare' })
    expect(status).toBe(200)
    expect(body).toEqual({
      type: slug,
      id: made.id,
      name: 'Bare',
      description: '',
      supertype: '',
      subtype: '',
      image_url: '',
      ...emptyFields(slug),
      created_at: made.created_at,
      updated_at: expect.any(String),
      change_seq: made.change_seq + 1,
      created_by: null,
    })
    expect(body.updated_at > made.updated_at).toBe(true)
    expect(await own.read(slug, made.id)).toEqual(body)
  })

  it('[WR-017] takes the id of the path and drops that of the body', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    const created = await own.put(`/api/v2/character/${a}`, { id: b, name: 'Ann' })
    expect([created.status, created.body.id]).toEqual([201, a])
    expectRefusal(await own.get(`/api/v2/character/${b}`), 404, 'not_found', null)
    const replaced = await own.put(`/api/v2/character/${a}`, { id: 'abc', name: 'Ann' })
    expect([replaced.status, replaced.body.id]).toEqual([200, a])
  })

  it('[WR-015] creates anew where an element was deleted', async () => {
    const made = await own.make('character', { description: 'old' })
    await own.delete(`/api/v2/character/${made.id}`)
    const { status, body } = await own.put(`/api/v2/character/${made.id}`, { name: 'New' })
    expect([status, body.description]).toEqual([201, ''])
    expect(body.created_at > made.created_at).toBe(true)
  })

  it('[WR-016] takes a place though nothing differs', async () => {
    const made = await own.make('character', { name: 'Ann' })
    const { body } = await own.put(`/api/v2/character/${made.id}`, { name: 'Ann' })
    expect(body.change_seq).toBe(made.change_seq + 1)
  })

  it('[WR-027][WR-022] reads null as empty in every kind of field', async () => {
    const nulls = { description: null, level: null, location: null, friends: null }
    const { id } = await own.make('character', { description: 'A', level: 1, location: home, friends: people })
    const { status, body } = await own.put(`/api/v2/character/${id}`, { name: 'Ann', ...nulls })
    expect(status).toBe(200)
    expect(body).toMatchObject({ description: '', level: null, location: null, friends: [] })
  })
})

describe('PATCH', () => {
  const full = () => ({ name: 'Ann', description: 'A', level: 3, location: home, friends: people.slice(0, 2), x_a: 1 })

  it('[WR-019] leaves omitted fields untouched', async () => {
    const made = await own.make('character', full())
    const { status, body } = await own.patch(`/api/v2/character/${made.id}`, { background: 'B' })
    expect(status).toBe(200)
    const { updated_at, change_seq } = body
    expect(body).toEqual({ ...made, background: 'B', updated_at, change_seq })
    expect([change_seq, updated_at > made.updated_at]).toEqual([made.change_seq + 1, true])
  })

  it('[WR-019] of nothing at all takes a place and changes nothing else', async () => {
    const made = await own.make('character', full())
    const { status, body } = await own.patch(`/api/v2/character/${made.id}`, {})
    expect(status).toBe(200)
    expect(body).toEqual({ ...made, updated_at: body.updated_at, change_seq: made.change_seq + 1 })
  })

  it('[WR-019] drops the id of the body', async () => {
    const { id } = await own.make('character')
    const other = randomUUID()
    const { status, body } = await own.patch(`/api/v2/character/${id}`, { id: other, description: 'A' })
    expect([status, body.id]).toEqual([200, id])
    expectRefusal(await own.get(`/api/v2/character/${other}`), 404, 'not_found', null)
  })

  it('[WR-019] takes back what was read, server fields left out', async () => {
    const { type, created_at, updated_at, change_seq, ...rest } = await own.make('character', full())
    const { status, body } = await own.patch(`/api/v2/character/${rest.id}`, rest)
    expect([status, body]).toMatchObject([200, rest])
  })

  it('[WR-020] replaces a list whole', async () => {
    const { id } = await own.make('character', { friends: people.slice(0, 2) })
    const { body } = await own.patch(`/api/v2/character/${id}`, { friends: [people[2]] })
    expect(body.friends).toEqual([people[2]])
  })

  it('[WR-021] merges extension fields by key, and only at the top level', async () => {
    const { id } = await own.make('character', { x_a: { deep: 1, kept: 2 }, x_b: 1, tool_c: [1, 2] })
    const { body } = await own.patch(`/api/v2/character/${id}`, { x_b: 2, x_a: { deep: 3 }, shadow_d: null })
    expect(body).toMatchObject({ x_b: 2, tool_c: [1, 2], shadow_d: null })
    expect(body.x_a).toEqual({ deep: 3 })
  })

  it('[WR-021] stores null in an extension field, which stays', async () => {
    const { id } = await own.make('character', { x_a: 1 })
    await own.patch(`/api/v2/character/${id}`, { x_a: null })
    const body = await own.read('character', id)
    expect('x_a' in body && body.x_a).toBeNull()
  })

  it.each([
    ['WR-022', 'description', '', ''],
    ['WR-022', 'name', '', ''],
    ['WR-023', 'description', null, ''],
    ['WR-023', 'name', null, ''],
    ['WR-024', 'level', null, null],
    ['WR-025', 'location', null, null],
    ['WR-026', 'friends', [], []],
    ['WR-027', 'friends', null, []],
  ])('[%s] clears %s with %j', async (_id, field, sent, stored) => {
    const { id } = await own.make('character', full())
    const { status, body } = await own.patch(`/api/v2/character/${id}`, { [field]: sent })
    expect([status, body[field]]).toEqual([200, stored])
    expect((await own.read('character', id))[field]).toEqual(stored)
  })

  it('[WR-025] clears the link of a pin', async () => {
    const { id } = await own.make('pin', { element_type: 'location', element_id: home })
    const { status, body } = await own.patch(`/api/v2/pin/${id}`, { element_id: null })
    expect([status, body.element_type, body.element_id]).toEqual([200, '', null])
  })
})
