import { randomUUID } from 'node:crypto'
import { type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectNothingWritten, expectRefusal, newOwner, newReader, type Owner } from './support'

let system: System
let own: Owner
let key: string

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  key = randomUUID()
})

const keyed = (value = key) => ({ 'Idempotency-Key': value })
const create = (body: Body, value = key) => own.post('/api/v2/character', body, keyed(value))
const bulk = (body: Body, value = key) => own.post('/api/v2/bulk', body, keyed(value))
const replay = ({ headers }: ApiReply) => headers.get('idempotent-replay')
const item = (element: Body) => ({ type: 'character', element })

describe('the same key with the same body', () => {
  it('[ID-001][ID-004][ID-005][ID-006] creates one element and replays its reply', async () => {
    const first = await create({ name: 'Ann', x_a: 1 })
    const second = await create({ name: 'Ann', x_a: 1 })
    expect([first.status, replay(first)]).toEqual([201, null])
    expect([second.status, replay(second), second.text]).toEqual([201, 'true', first.text])
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await own.head()).toBe(1)
  })

  it('[ID-004] replays what was answered then, though the element has changed and gone since', async () => {
    const first = await create({ name: 'Ann' })
    await own.patch(`/api/v2/character/${first.body.id}`, { name: 'Bob' })
    await own.delete(`/api/v2/character/${first.body.id}`)
    const second = await create({ name: 'Ann' })
    expect([second.status, replay(second), second.text]).toEqual([201, 'true', first.text])
    expect(await own.head()).toBe(3)
  })

  it('[ID-002][ID-006] writes a bulk once', async () => {
    const body = { items: [item({ name: 'A' }), item({ name: 'B' })] }
    const [first, second] = [await bulk(body), await bulk(body)]
    expect([first.status, replay(first), first.body.errors]).toEqual([200, null, false])
    expect([second.status, replay(second), second.text]).toEqual([200, 'true', first.text])
    expect(await own.head()).toBe(2)
  })

  it('[ID-009][ID-017] replays a bulk with its errors; a new key runs it again', async () => {
    const location = randomUUID()
    const body = { items: [item({ name: 'A' }), item({ name: 'B', location })] }
    const first = await bulk(body)
    expect([first.body.errors, first.body.items.map(({ status }: Body) => status)]).toEqual([true, [201, 400]])
    await own.make('location', { id: location })
    const second = await bulk(body)
    expect([second.status, replay(second), second.text]).toEqual([200, 'true', first.text])
    const third = await bulk({ items: body.items.slice(1) }, randomUUID())
    expect([third.status, replay(third), third.body.errors]).toEqual([200, null, false])
  })

  it('[ID-004] is known whatever the spacing and the order of keys', async () => {
    const first = await create('{"name":"Ann","x_a":{"b":1,"c":[2]}}')
    const second = await create(' {"x_a": {"c": [2], "b": 1},\n "name": "\\u0041nn"} ')
    expect([second.status, replay(second), second.text]).toEqual([201, 'true', first.text])
  })

  it('[ID-001] runs once for ten at a time', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'Ann' })))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter((reply) => replay(reply) === null)).toHaveLength(1)
    expect(await own.head()).toBe(1)
  })

  it('[ID-001] means nothing in another world', async () => {
    const first = await create({ name: 'Ann' })
    const other = await newOwner(system)
    const theirs = await other.post('/api/v2/character', { name: 'Ann' }, keyed())
    expect([theirs.status, replay(theirs)]).toEqual([201, null])
    expect(theirs.body.id).not.toBe(first.body.id)
  })

  it('[ID-001] is the same for every write key of the owner', async () => {
    const first = await create({ name: 'Ann' })
    const account = api(system.gateway, { Authorization: `Bearer ${own.token}` })
    const minted = expectBody(await account.post(`/api/v2/account/worlds/${own.world}/keys`, {}), 201)
    const headers = { 'API-Key': minted.key, 'API-Pin': own.pin, ...keyed() }
    const second = await api(system.gateway, headers).post('/api/v2/character', { name: 'Ann' })
    expect([second.status, replay(second), second.text]).toEqual([201, 'true', first.text])
  })

  it('[ID-001] never replays to who may not write', async () => {
    await create({ name: 'Ann' })
    const reader = await newReader(system, own)
    expectRefusal(await reader.post('/api/v2/character', { name: 'Ann' }, keyed()), 403, 'permission_error', null)
    const noPin = api(system.gateway, { 'API-Key': own.key, ...keyed() })
    expectRefusal(await noPin.post('/api/v2/character', { name: 'Ann' }), 401, 'invalid_credentials')
  })
})

describe('the same key with another request', () => {
  it.each([
    ['another body', { name: 'Bob' }],
    ['a further field', { name: 'Ann', description: '' }],
    ['a body that is bad', { zzz: 1 }],
    ['a body with a bad link', { name: 'Ann', location: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  ])('[ID-007] is refused: %s', async (_what, body) => {
    await create({ name: 'Ann' })
    await expectNothingWritten(own, () => create(body), 409, 'idempotency_error')
  })

  it('[ID-007] is refused: another body of a bulk', async () => {
    await bulk({ items: [item({ name: 'A' })] })
    await expectNothingWritten(own, () => bulk({ items: [item({ name: 'B' })] }), 409, 'idempotency_error')
  })

  it('[ID-007] is refused: another route', async () => {
    await create({ name: 'Ann' })
    const write = () => own.post('/api/v2/location', { name: 'Ann' }, keyed())
    await expectNothingWritten(own, write, 409, 'idempotency_error')
    await expectNothingWritten(own, () => bulk({ items: [] }), 409, 'idempotency_error')
  })

  it('[ID-007] leaves the first reply in place', async () => {
    const first = await create({ name: 'Ann' })
    await create({ name: 'Bob' })
    expect((await create({ name: 'Ann' })).text).toBe(first.text)
  })
})

describe('an error', () => {
  it('[ID-008] is not stored: the same key runs the same body again', async () => {
    const location = randomUUID()
    expectRefusal(await create({ name: 'Ann', location }), 400, 'invalid_link', 'location')
    expectRefusal(await create({ name: 'Ann', location }), 400, 'invalid_link', 'location')
    await own.make('location', { id: location })
    const third = await create({ name: 'Ann', location })
    expect([third.status, replay(third)]).toEqual([201, null])
  })

  it('[ID-008] leaves the key free for another body', async () => {
    expectRefusal(await create({ zzz: 1 }), 422, 'invalid_request', 'zzz')
    const second = await create({ name: 'Ann' })
    expect([second.status, replay(second)]).toEqual([201, null])
  })

  it('[ID-008] of a bulk that is refused whole is not stored', async () => {
    expectRefusal(await bulk({ items: {} }), 422, 'invalid_request', 'items')
    const second = await bulk({ items: [item({ name: 'A' })] })
    expect([second.status, replay(second)]).toEqual([200, null])
  })
})

describe('routes without a key', () => {
  it.each([
    ['ID-010', 'PUT', (id: string, name: string) => own.put(`/api/v2/character/${id}`, { name }, keyed())],
    ['ID-011', 'PATCH', (id: string, name: string) => own.patch(`/api/v2/character/${id}`, { name }, keyed())],
  ])('[%s] %s runs every time', async (_id, _method, write) => {
    const { id } = await own.make('character')
    for (const name of ['A', 'B', 'B']) {
      const reply = await write(id, name)
      expect([reply.status, replay(reply), reply.body.name]).toEqual([200, null, name])
    }
    expect(await own.head()).toBe(4)
  })

  it('[ID-012] DELETE answers 204 every time', async () => {
    const [a, b] = await own.seed('character', [{ name: 'A' }, { name: 'B' }])
    for (const id of [a, b, b]) {
      const reply = await own.delete(`/api/v2/character/${id}`, undefined, keyed())
      expect([reply.status, replay(reply)]).toEqual([204, null])
    }
    expect(await own.head()).toBe(4)
  })

  it('[ID-013] a link operation runs every time', async () => {
    const [a, b] = await own.seed('character', [{ name: 'A' }, { name: 'B' }])
    for (const body of [{ add: [b] }, { remove: [b] }, { remove: [b] }]) {
      const reply = await own.post(`/api/v2/character/${a}/links/friends`, body, keyed())
      expect([reply.status, replay(reply), reply.body.friends]).toEqual([200, null, body.add ?? []])
    }
  })

  it('[ID-010][ID-011][ID-012] do not look at how long it is', async () => {
    const { id } = await own.make('character')
    const long = keyed('k'.repeat(201))
    expect((await own.put(`/api/v2/character/${id}`, { name: 'A' }, long)).status).toBe(200)
    expect((await own.patch(`/api/v2/character/${id}`, { name: 'B' }, long)).status).toBe(200)
    expect((await own.delete(`/api/v2/character/${id}`, undefined, long)).status).toBe(204)
  })
})

describe('a key', () => {
  it('[ID-016] has up to 200 characters', async () => {
    expect((await create({ name: 'A' }, 'k'.repeat(200))).status).toBe(201)
    expect(replay(await create({ name: 'A' }, 'k'.repeat(200)))).toBe('true')
  })

  it.each([201, 0])('[ID-016] of %i characters is refused', async (length) => {
    for (const write of [
      () => create({ name: 'A' }, 'k'.repeat(length)),
      () => bulk({ items: [] }, 'k'.repeat(length)),
    ]) {
      await expectNothingWritten(own, write, 422, 'invalid_request', 'Idempotency-Key')
    }
  })
})
