import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, errorOf, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
let other: Owner

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  other = await newOwner(system)
})
afterAll(() => system.stop())

const bulk = (items: Body[], atomic?: boolean) => own.post('/api/v2/bulk', { items, atomic })
const person = (id: string, more = {}) => ({ type: 'character', element: { id, name: 'A', ...more } })
const place = (id: string, more = {}) => ({ type: 'location', element: { id, name: 'L', ...more } })
const outcome = ({ items }: Body) =>
  items.map(({ status, error }: Body) => (error ? `${status} ${error.code}` : status))
const ids = (count: number) => Array.from({ length: count }, () => randomUUID())

describe('an id that is held elsewhere', () => {
  it('[BK-026] in another world fails the item and what links to it', async () => {
    const theirs = await other.make('character')
    const [a = '', b = ''] = ids(2)
    const { status, body } = await bulk([person(a, { friends: [theirs.id] }), person(theirs.id), person(b)])
    expect([status, outcome(body)]).toEqual([200, ['400 invalid_link', '422 apply_failed', 201]])
    expect(body.items[1]).toEqual({ status: 422, id: theirs.id, error: errorOf('apply_failed') })
    expect(await other.read('character', theirs.id)).toEqual(theirs)
  })

  it('[BK-026] by another category of this world fails the item', async () => {
    const made = await own.make('character')
    const { body } = await bulk([place(made.id), person(made.id, { name: 'B' })])
    expect(outcome(body)).toEqual(['422 apply_failed', 200])
  })

  it('[BK-025][BK-026] by another category leaves links to what stands there', async () => {
    const made = await own.make('character')
    const [a = '', b = ''] = ids(2)
    const { body } = await bulk([place(made.id), person(a, { friends: [made.id] }), person(b, { location: made.id })])
    expect(outcome(body)).toEqual(['422 apply_failed', 201, '400 invalid_link'])
  })

  it('[BK-026] by an earlier item of another category fails the later one', async () => {
    const [a = ''] = ids(1)
    expect(outcome((await bulk([person(a), place(a)])).body)).toEqual([201, '422 apply_failed'])
  })
})

describe('atomic', () => {
  let theirs: string
  beforeAll(async () => {
    theirs = (await other.make('character')).id
  })

  it('[BK-019][BK-020] writes nothing when an item fails, though the others show their success', async () => {
    const [a = '', b = ''] = ids(2)
    const made = await own.make('character', { name: 'old' })
    const before = (await own.get('/api/v2/changes')).body
    const items = [
      person(a),
      person(made.id, { name: 'new' }),
      { type: 'zone', element: { name: 'Z' } },
      person(b, { zzz: 1 }),
    ]
    const { status, body } = await bulk(items, true)
    expect([status, body.errors, outcome(body)]).toEqual([200, true, [201, 200, 201, '422 invalid_request']])
    expect(Object.keys(body.items[0])).toEqual(['status', 'id', 'created_at', 'updated_at'])
    expect(body.items[1].created_at).toBe(made.created_at)
    expect((await own.get('/api/v2/changes')).body).toEqual(before)
    expectRefusal(await own.get(`/api/v2/character/${a}`), 404, 'not_found', null)
    expectRefusal(await own.get(`/api/v2/zone/${body.items[2].id}`), 404, 'not_found', null)
  })

  it.each([
    ['a bad link', () => person(randomUUID(), { location: randomUUID() }), '400 invalid_link'],
    ["another world's id", () => person(theirs), '422 apply_failed'],
  ])('[BK-019] writes nothing for %s', async (_what, bad, expected) => {
    const head = await own.head()
    const { body } = await bulk([person(randomUUID()), bad()], true)
    expect([body.errors, outcome(body)]).toEqual([true, [201, expected]])
    expect(await own.head()).toBe(head)
  })

  it('[BK-020] shows 201 then 200 for an id that comes twice', async () => {
    const [a = ''] = ids(1)
    const { body } = await bulk([person(a), person(a), person(randomUUID(), { zzz: 1 })], true)
    expect(outcome(body)).toEqual([201, 200, '422 invalid_request'])
  })

  it('[BK-021] writes everything when nothing fails', async () => {
    const [a = '', b = ''] = ids(2)
    const { body } = await bulk([person(a, { friends: [b] }), person(b)], true)
    expect([body.errors, outcome(body)]).toEqual([false, [201, 201]])
    expect((await own.read('character', a)).friends).toEqual([b])
  })
})
