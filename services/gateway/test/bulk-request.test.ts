import { randomUUID } from 'node:crypto'
import { categories } from '@worlds/domain/registry'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import {
  type Body,
  errorOf,
  expectNothingWritten,
  newOwner,
  newReader,
  type Owner,
  timestampForm,
  uuidForm,
} from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

const bulk = (body: Body) => own.post('/api/v2/bulk', body)
const named = (name: string, more = {}) => ({ type: 'character', element: { name, ...more } })
const statuses = (body: Body) => body.items.map(({ status }: Body) => status)

describe('a bulk', () => {
  it('[BK-001] writes items of every category', async () => {
    const items = [...categories.keys()].map((type) => ({ type, element: { name: `The ${type}`, x_a: type } }))
    const { status, body } = await bulk({ items, atomic: false })
    expect([status, body.errors, body.items.length]).toEqual([200, false, 22])
    for (const [index, { type }] of items.entries()) {
      expect(await own.read(type, body.items[index].id)).toMatchObject({ type, name: `The ${type}`, x_a: type })
    }
  })

  it('[BK-002] ignores the op of an item', async () => {
    const id = randomUUID()
    for (const [op, status] of [
      ['delete', 201],
      ['create', 200],
      [7, 200],
      [null, 200],
    ]) {
      const { body } = await bulk({ items: [{ ...named('A', { id }), op }] })
      expect([body.errors, body.items[0].status]).toEqual([false, status])
    }
    expect((await own.read('character', id)).name).toBe('A')
  })

  it('[BK-004][BK-005][BK-012][BK-013] upserts items with an id and creates those without', async () => {
    const id = randomUUID()
    const items = [named('A', { id, description: 'old', x_a: 1 }), named('B'), named('C', { id: null })]
    const { body } = await bulk({ items })
    expect(statuses(body)).toEqual([201, 201, 201])
    expect(body.items[0].id).toBe(id)
    for (const slot of body.items.slice(1)) expect(slot.id).toMatch(/^.{14}7.{4}[89ab]/)
    const again = await bulk({ items: [named('A2', { id: id.toUpperCase() })] })
    expect([again.body.items[0].status, again.body.items[0].id]).toEqual([200, id])
    const element = await own.read('character', id)
    expect([element.name, element.description, 'x_a' in element]).toEqual(['A2', '', false])
  })

  it('[BK-006][BK-007][BK-008][BK-009][BK-018] answers 200 with a slot for each item in order', async () => {
    const ids = Array.from({ length: 4 }, () => randomUUID())
    const [a, b, c, d] = ids.map((id, index) => named(`N${index}`, { id }))
    const { status, body } = await bulk({ items: [a, b, named('bad', { zzz: 1 }), c, d] })
    expect([status, Object.keys(body), body.errors]).toEqual([200, ['errors', 'items'], true])
    expect(statuses(body)).toEqual([201, 201, 422, 201, 201])
    expect(body.items.map(({ id }: Body) => id)).toEqual([ids[0], ids[1], null, ids[2], ids[3]])
    for (const id of ids) expect((await own.read('character', id)).id).toBe(id)
  })

  it('[BK-009] of good items has no errors, and one of nothing neither', async () => {
    expect((await bulk({ items: [named('A')] })).body.errors).toBe(false)
    const head = await own.head()
    const { status, body } = await bulk({ items: [] })
    expect([status, body]).toEqual([200, { errors: false, items: [] }])
    expect(await own.head()).toBe(head)
  })

  it('[BK-008] takes places in the order of its items', async () => {
    const head = await own.head()
    const { body } = await bulk({ items: [named('A'), named('bad', { type: 'character' }), named('B'), named('C')] })
    const ids = body.items.flatMap(({ id, status }: Body) => (status === 201 ? [id] : []))
    const elements = await Promise.all(ids.map((id: string) => own.read('character', id)))
    expect(elements.map(({ change_seq }) => change_seq)).toEqual([head + 1, head + 2, head + 3])
    expect(await own.head()).toBe(head + 3)
  })
})

describe('a slot', () => {
  it('[BK-010] of a success has status, id and the timestamps of the element', async () => {
    const [slot] = (await bulk({ items: [named('A')] })).body.items
    const id = expect.stringMatching(uuidForm)
    const at = expect.stringMatching(timestampForm)
    expect(slot).toEqual({ status: 201, id, created_at: at, updated_at: at })
    const { created_at, updated_at } = await own.read('character', slot.id)
    expect(slot).toMatchObject({ created_at, updated_at })
  })

  it('[BK-010][BK-013] of a replace has the created_at of then', async () => {
    const made = await own.make('character')
    const [slot] = (await bulk({ items: [named('B', { id: made.id })] })).body.items
    const { updated_at } = await own.read('character', made.id)
    expect(slot).toEqual({ status: 200, id: made.id, created_at: made.created_at, updated_at })
    expect(updated_at > made.updated_at).toBe(true)
  })

  it('[BK-011][BK-017] of a failure has status, id and the error', async () => {
    const id = randomUUID()
    const { body } = await bulk({ items: [named('A', { id, zzz: 1 }), named('A', { zzz: 1 })] })
    const error = errorOf('invalid_request', 'zzz')
    expect(body.items).toEqual([
      { status: 422, id, error },
      { status: 422, id: null, error },
    ])
  })

  it('[BK-011][BK-014] of a bad link is 400 and names the field', async () => {
    const id = randomUUID()
    const { body } = await bulk({ items: [named('A', { id, location: randomUUID() }), named('B')] })
    expect(body.items[0]).toEqual({ status: 400, id, error: errorOf('invalid_link', 'location') })
    expect([body.errors, body.items[1].status]).toEqual([true, 201])
  })

  it.each([
    ['an item that is no object', 7, null],
    ['an item that is null', null, null],
    ['no type', { element: { name: 'A' } }, 'type'],
    ['an unknown type', { type: 'dragon', element: { name: 'A' } }, 'type'],
    ['a plural type', { type: 'characters', element: { name: 'A' } }, 'type'],
    ['a type that is no text', { type: ['character'], element: { name: 'A' } }, 'type'],
    ['no element', { type: 'character' }, 'element'],
    ['an element that is no object', { type: 'character', element: [] }, 'element'],
    ['an unknown key', { ...named('A'), zzz: 1 }, 'zzz'],
    ['no name', { type: 'character', element: {} }, 'name'],
    ['a malformed id', named('A', { id: 'abc' }), 'id'],
    ['an empty id', named('A', { id: '' }), 'id'],
    ['a server field', named('A', { change_seq: 1 }), 'change_seq'],
    ['a name too long', named('x'.repeat(256)), 'name'],
    ['a suffix', named('A', { location_id: null }), 'location_id'],
    ['extensions too large', named('A', { x_a: 'x'.repeat(65_536) }), 'extensions'],
    ['a value that is no integer', named('A', { level: 'abc' }), 'level'],
    ['a stub', named('A', { location: { id: randomUUID() } }), 'location'],
  ])('[BK-017][BK-018] is 422 for %s, and the rest is written', async (_what, item, param) => {
    const head = await own.head()
    const { status, body } = await bulk({ items: [item, named('good')] })
    expect([status, body.errors, statuses(body)]).toEqual([200, true, [422, 201]])
    expect(body.items[0].error).toEqual(errorOf('invalid_request', param))
    expect(await own.head()).toBe(head + 1)
  })
})

describe('a bulk that is refused whole', () => {
  it('[BK-003] has more than 1000 items', async () => {
    const items = Array.from({ length: 1001 }, (_, index) => named(`N${index}`))
    await expectNothingWritten(await newOwner(system), () => bulk({ items }), 422, 'invalid_request', 'items')
    const head = await own.head()
    const { status, body } = await bulk({ items: items.slice(1) })
    expect([status, body.errors, body.items.length]).toEqual([200, false, 1000])
    expect(await own.head()).toBe(head + 1000)
  })

  it.each([
    ['BK-027', 'no JSON', '{', null],
    ['BK-027', 'no body', '', null],
    ['BK-027', 'a list', [], null],
    ['BK-027', 'null', 'null', null],
    ['BK-028', 'items that are no list', { items: {} }, 'items'],
    ['BK-028', 'no items', {}, 'items'],
    ['BK-028', 'items of null', { items: null }, 'items'],
    ['BK-028', 'atomic that is no boolean', { items: [], atomic: 'true' }, 'atomic'],
    ['BK-028', 'an unknown key', { items: [named('A')], zzz: 1 }, 'zzz'],
  ])('[%s] has %s', async (_id, _what, body, param) => {
    await expectNothingWritten(own, () => bulk(body), 422, 'invalid_request', param)
  })

  it('[BK-029] lacks the right to write', async () => {
    const reader = await newReader(system, own)
    const body = { items: [named('A')] }
    const send = (headers: Record<string, string>) => () => api(system.gateway, headers).post('/api/v2/bulk', body)
    await expectNothingWritten(own, send({}), 401, 'invalid_credentials')
    await expectNothingWritten(own, send({ 'API-Key': own.key }), 401, 'invalid_credentials')
    await expectNothingWritten(own, send({ 'API-Key': own.key, 'API-Pin': '4321' }), 401, 'invalid_credentials')
    await expectNothingWritten(own, () => reader.post('/api/v2/bulk', body), 403, 'permission_error', null)
  })
})
