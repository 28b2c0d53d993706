import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, errorOf, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

const bulk = (items: Body[]) => own.post('/api/v2/bulk', { items })
const person = (id: string, more = {}) => ({ type: 'character', element: { id, name: 'A', ...more } })
const place = (id: string, more = {}) => ({ type: 'location', element: { id, name: 'L', ...more } })
const outcome = ({ items }: Body) =>
  items.map(({ status, error }: Body) => (error ? `${status} ${error.code}` : status))
const ids = (count: number) => Array.from({ length: count }, () => randomUUID())

describe('links within a batch', () => {
  it('[BK-022][BK-023] may point forward and backward', async () => {
    const [a = '', b = '', home = ''] = ids(3)
    const items = [
      person(a, { friends: [b], location: home }),
      place(home, { founders: [a] }),
      person(b, { friends: [a] }),
    ]
    const { body } = await bulk(items)
    expect([body.errors, outcome(body)]).toEqual([false, [201, 201, 201]])
    expect(await own.read('character', a)).toMatchObject({ friends: [b], location: home })
    expect(await own.read('location', home)).toMatchObject({ founders: [a] })
  })

  it('[BK-022] may point to the world and to the item itself', async () => {
    const { id: home } = await own.make('location')
    const [a = ''] = ids(1)
    const { body } = await bulk([person(a, { location: home, friends: [a] })])
    expect(outcome(body)).toEqual([201])
  })

  it('[BK-022][BK-014] must be of the right category', async () => {
    const [a = '', b = ''] = ids(2)
    const { body } = await bulk([person(a, { location: b }), person(b)])
    expect(outcome(body)).toEqual(['400 invalid_link', 201])
  })

  it('[BK-025][BK-024] to an item that fails fail too, transitively', async () => {
    const [a = '', b = '', c = '', d = ''] = ids(4)
    const items = [person(a, { friends: [b] }), person(b, { friends: [c] }), person(c, { zzz: 1 }), person(d)]
    const { body } = await bulk(items)
    expect(outcome(body)).toEqual(['400 invalid_link', '400 invalid_link', '422 invalid_request', 201])
    expect(body.items[0]).toEqual({ status: 400, id: a, error: errorOf('invalid_link', 'friends') })
    for (const id of [a, b, c]) expectRefusal(await own.get(`/api/v2/character/${id}`), 404, 'not_found', null)
  })

  it('[BK-025] in a ring fail together when one of it fails', async () => {
    const [a = '', b = '', c = ''] = ids(3)
    const items = [person(a, { friends: [b] }), person(b, { friends: [a], location: randomUUID() }), person(c)]
    expect(outcome((await bulk(items)).body)).toEqual(['400 invalid_link', '400 invalid_link', 201])
  })

  it('[BK-025] stand when the failed item named an element of the world', async () => {
    const { id: home } = await own.make('location')
    const [a = ''] = ids(1)
    const { body } = await bulk([place(home, { zzz: 1 }), person(a, { location: home })])
    expect(outcome(body)).toEqual(['422 invalid_request', 201])
  })

  it('[BK-024] a fault in the last item reaches the first', async () => {
    const many = ids(100)
    const items = many.map((id, index) => person(id, { friends: many.slice(index + 1, index + 2) }))
    items[99] = person(many[99] ?? '', { location: randomUUID() })
    const { body } = await bulk(items)
    expect(new Set(outcome(body))).toEqual(new Set(['400 invalid_link']))
  })
})

describe('the same id twice in a batch', () => {
  it('[BK-004][BK-012][BK-013] is applied in order, the last wins', async () => {
    const [a = ''] = ids(1)
    const { body } = await bulk([person(a, { description: 'one', x_a: 1 }), person(a, { description: 'two' })])
    expect(outcome(body)).toEqual([201, 200])
    const element = await own.read('character', a)
    expect([element.description, 'x_a' in element]).toEqual(['two', false])
  })

  it('[BK-022] links are checked on each', async () => {
    const [a = '', b = ''] = ids(2)
    const { body } = await bulk([person(a, { location: randomUUID() }), person(a), person(b, { friends: [a] })])
    expect(outcome(body)).toEqual(['400 invalid_link', 201, 201])
    const [c = '', d = ''] = ids(2)
    const reverse = await bulk([person(c), person(c, { location: randomUUID() }), person(d, { friends: [c] })])
    expect(outcome(reverse.body)).toEqual([201, '400 invalid_link', 201])
  })
})
