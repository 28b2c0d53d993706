import { randomUUID } from 'node:crypto'
import { decodeFeedCursor, encodeFeedCursor } from '@worlds/domain/cursor'
import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, error, expectError, type Hostile, type Known, newKnown } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let known: Known

beforeAll(async () => {
  system = await startSystem()
  known = await newKnown(system)
})
afterAll(() => system.stop())

const bad = 'invalid_request'
const bulk = { path: '/api/v2/bulk' }
const item = (element: unknown, type: unknown = 'character') => ({ type, element })
const feed = (query: string) => ({ method: 'get' as const, path: `/api/v2/changes?${query}` })

const rows: readonly Hostile[] = [
  { no: 51, title: 'cursor on the feed', clauses: '[CF-004]', ...feed('cursor=x'), answer: bad, param: 'cursor' },
  {
    no: 51,
    title: 'an unknown parameter on the feed',
    clauses: '[CF-004]',
    ...feed('type=zone'),
    answer: bad,
    param: 'type',
  },
  ...['nope', '-1', '1', '00', '%00', 'eyJhIjoxfQ', 'A'.repeat(2_000)].map((since) => {
    return {
      no: 53,
      title: `since=${since.slice(0, 20)}`,
      clauses: '[CF-003]',
      ...feed(`since=${since}`),
      answer: bad,
      param: 'since',
    }
  }),
  ...['yes', '1', 'TRUE', ''].map((head) => ({
    no: 53,
    title: `head=${head}`,
    ...feed(`head=${head}`),
    answer: bad,
    param: 'head',
  })),
  {
    no: 54,
    title: '1,001 items',
    clauses: '[BK-003]',
    ...bulk,
    body: { items: Array(1_001).fill(item({ name: 'x' })) },
    answer: bad,
    param: 'items',
  },
  { no: 54, title: 'no items', clauses: '[BK-028]', ...bulk, body: {}, answer: bad, param: 'items' },
  ...[{}, null, 'x', 5].map((items): Hostile => {
    return {
      no: 54,
      title: `items ${JSON.stringify(items)}`,
      clauses: '[BK-028]',
      ...bulk,
      body: { items },
      answer: bad,
      param: 'items',
    }
  }),
  { no: 54, title: 'an unknown key', ...bulk, body: { items: [], foo: 1 }, answer: bad, param: 'foo' },
  { no: 54, title: 'no items at all', ...bulk, body: { items: [] }, answer: 200, reply: { errors: false, items: [] } },
  ...['yes', 1, 0, null, [], 'true'].map((atomic): Hostile => {
    const body = { items: [item({ name: 'x' })], atomic }
    return {
      no: 58,
      title: `atomic ${JSON.stringify(atomic)}`,
      clauses: '[BK-001]',
      ...bulk,
      body,
      answer: bad,
      param: 'atomic',
    }
  }),
]

describeRows('a hostile bulk or feed', () => known, rows)

describe('a bad item', () => {
  it.each<[string, unknown, string | null]>([
    ['null', null, null],
    ['5', 5, null],
    ['a list', [], null],
    ['an unknown type', item({ name: 'x' }, 'dragon'), 'type'],
    ['__proto__ as a type', item({ name: 'x' }, '__proto__'), 'type'],
    ['constructor as a type', item({ name: 'x' }, 'constructor'), 'type'],
    ['no type', { element: { name: 'x' } }, 'type'],
    ['no element', { type: 'character' }, 'element'],
    ['null as an element', item(null), 'element'],
    ['a list as an element', item([]), 'element'],
    ['an unknown key', { ...item({ name: 'x' }), foo: 1 }, 'foo'],
    ['no name', item({}), 'name'],
    ['NUL in a name', item({ name: '\0' }), 'name'],
    ['a malformed id', item({ id: 'nope', name: 'x' }), 'id'],
    ['an unknown field', item({ name: 'x', foo: 1 }), 'foo'],
  ])("hostile 55: [BK-017] %s is its slot's 422 and the others are written", async (_title, wrong, param) => {
    const { own } = known
    const before = await own.head()
    const reply = await own.post('/api/v2/bulk', { items: [item({ name: 'a' }), wrong, item({ name: 'b' })] })
    const { errors, items } = expectBody(reply, 200)
    expect([errors, items.map(({ status }: Body) => status)]).toEqual([true, [201, 422, 201]])
    expect(items[1].error).toEqual(error(bad, param))
    expect(await own.head()).toBe(before + 2)
  })

  it('hostile 58: [BK-019][BK-020] undoes an atomic batch, though its slots say what they would have been', async () => {
    const { own } = known
    const { id } = await own.make('zone')
    const before = (await own.get('/api/v2/changes?limit=1000')).text
    const items = [item({ name: 'a' }), item({ id, name: 'b' }, 'zone'), item({ name: 'x', foo: 1 })]
    const reply = expectBody(await own.post('/api/v2/bulk', { items, atomic: true }), 200)
    expect([reply.errors, reply.items.map(({ status }: Body) => status)]).toEqual([true, [201, 200, 422]])
    expect((await own.get('/api/v2/changes?limit=1000')).text).toBe(before)
  })

  it("hostile 59: [BK-026] whose id another world or category holds is its slot's 422 apply_failed", async () => {
    const { own, foreign, location } = known
    const before = await own.head()
    const items = [item({ id: foreign, name: 'x' }), item({ id: location, name: 'x' }), item({ name: 'on' })]
    const reply = expectBody(await own.post('/api/v2/bulk', { items }), 200)
    expect(reply.items.slice(0, 2)).toEqual(
      [foreign, location].map((id) => ({ status: 422, id, error: error('apply_failed', 'id') })),
    )
    expect([reply.items[2].status, await own.head()]).toEqual([201, before + 1])
  })
})

describe('items of one batch', () => {
  const changesOf = async (own: Owner, id: string) =>
    expectBody(await own.get('/api/v2/changes?limit=1000'), 200).changes.filter((change: Body) => change.id === id)

  it('hostile 56: [BK-004] that name one id are applied in order and are one row of the feed', async () => {
    const { own } = known
    const id = randomUUID()
    const items = [item({ id, name: 'first', level: 1 }), item({ id: id.toUpperCase(), name: 'last' })]
    const reply = expectBody(await own.post('/api/v2/bulk', { items }), 200)
    expect(reply.items.map(({ status }: Body) => status)).toEqual([201, 200])
    expect(await own.read('character', id)).toMatchObject({ name: 'last', level: null })
    expect(await changesOf(own, id)).toHaveLength(1)
  })

  it('hostile 57: [BK-025] that link to one that failed fail with it, round a circle too', async () => {
    const { own } = known
    const [a, b, c, d] = Array.from({ length: 4 }, () => randomUUID())
    const items = [
      item({ id: a, name: 'a', friends: [b] }),
      item({ id: b, name: 'b', friends: [a, c] }),
      item({ id: c, name: 'c', foo: 1 }),
      item({ id: d, name: 'd' }),
    ]
    const before = await own.head()
    const reply = expectBody(await own.post('/api/v2/bulk', { items }), 200)
    expect(reply.items.map(({ status }: Body) => status)).toEqual([400, 400, 422, 201])
    for (const slot of reply.items.slice(0, 2)) expect(slot.error).toEqual(error('invalid_link', 'friends'))
    expect(await own.head()).toBe(before + 1)
  })
})

describe('a feed cursor', () => {
  const since = (own: Owner, cursor: string) => own.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)

  it('hostile 52: [CF-043] of three parts from the owner is 409 resync_required with the reason role', async () => {
    const { own } = known
    const parts = decodeFeedCursor(expectBody(await own.get('/api/v2/changes?head=true'), 200).cursor)
    if (parts === null) throw new Error('the feed gave no cursor')
    const reply = await since(own, encodeFeedCursor({ ...parts, view: { epoch: 1, membership: randomUUID() } }))
    expect({ status: reply.status, reason: reply.body.reason, code: reply.body.error.code }).toEqual({
      status: 409,
      reason: 'role',
      code: 'resync_required',
    })
  })

  it('hostile 53: [CF-025] beyond head is 200, empty, with the lower head', async () => {
    const own = await newOwner(system)
    await own.make('zone')
    const parts = decodeFeedCursor(expectBody(await own.get('/api/v2/changes'), 200).cursor)
    if (parts === null) throw new Error('the feed gave no cursor')
    const beyond = encodeFeedCursor({ ...parts, seq: 1_000, id: '' })
    const reply = expectBody(await since(own, beyond), 200)
    expect(reply).toMatchObject({ changes: [], has_more: false, head: 1, cursor: beyond })
  })

  it('hostile 53: [CF-003] of another world is 422', async () => {
    const other = await newOwner(system)
    const { cursor } = expectBody(await other.get('/api/v2/changes'), 200)
    expectError(await since(known.own, cursor), bad, 'since')
  })
})
