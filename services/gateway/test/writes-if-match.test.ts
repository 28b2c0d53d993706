import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, errorOf, expectNothingWritten, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
let made: Body

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())
beforeEach(async () => {
  made = await own.make('character', { name: 'Ann' })
})

const guarded = [
  [
    'WR-011',
    'PATCH',
    (id: string, ifMatch: string) =>
      own.patch(`/api/v2/character/${id}`, { description: 'B' }, { 'If-Match': ifMatch }),
  ],
  [
    'LK-019',
    'a link operation',
    (id: string, ifMatch: string) =>
      own.post(`/api/v2/character/${id}/links/friends`, { add: [id] }, { 'If-Match': ifMatch }),
  ],
] as const

describe.each(guarded)('[%s] %s', (id, _what, write) => {
  it.each([
    ['the bare change_seq', () => String(made.change_seq)],
    ['the quoted change_seq', () => `"${made.change_seq}"`],
    ['*', () => '*'],
  ])(`[${id}] runs with If-Match of %s`, async (_form, ifMatch) => {
    const reply = await write(made.id, ifMatch())
    expect([reply.status, reply.body.change_seq]).toEqual([200, made.change_seq + 1])
  })

  it.each(['abc', '1.5', '-1', '"1', 'W/"1"', '1, 2', '""'])(`[${id}] refuses If-Match: %s`, async (ifMatch) => {
    await expectNothingWritten(own, () => write(made.id, ifMatch), 422, 'invalid_request', 'If-Match')
  })

  const stale = id === 'WR-011' ? '[WR-046]' : '[WR-047]'
  it(`[WR-048][WR-049]${stale} is 412 with the current element when it has moved, and writes nothing`, async () => {
    const moved = await own.patch(`/api/v2/character/${made.id}`, { description: 'moved' })
    const head = await own.head()
    for (const ifMatch of [String(made.change_seq), `"${made.change_seq}"`]) {
      const { status, body } = await write(made.id, ifMatch)
      expect(status).toBe(412)
      expect(body).toEqual({ error: errorOf('precondition_failed'), current: moved.body })
    }
    expect(await own.read('character', made.id)).toEqual(moved.body)
    expect(await own.head()).toBe(head)
  })

  it(`${stale} is 412 for a change_seq that is yet to come`, async () => {
    const { status, body } = await write(made.id, String(made.change_seq + 1))
    expect([status, body.error.code, body.current]).toEqual([412, 'precondition_failed', made])
  })

  it(`${stale} of a missing element is 404`, async () => {
    for (const ifMatch of ['1', '*']) expectRefusal(await write(randomUUID(), ifMatch), 404, 'not_found', null)
  })

  it(`${stale} lets one of ten writers with the same change_seq through`, async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => write(made.id, String(made.change_seq))))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(9)
  })
})

describe('the order of faults', () => {
  const stale = { 'If-Match': '999999' }

  it('[WR-046] a stale If-Match is told before a bad link', async () => {
    const patch = await own.patch(`/api/v2/character/${made.id}`, { location: randomUUID() }, stale)
    const links = await own.post(`/api/v2/character/${made.id}/links/friends`, { add: [randomUUID()] }, stale)
    expect([patch.body.error.code, links.body.error.code]).toEqual(['precondition_failed', 'precondition_failed'])
  })

  it('[WR-046] a bad body is told before a stale If-Match', async () => {
    expectRefusal(await own.patch(`/api/v2/character/${made.id}`, { zzz: 1 }, stale), 422, 'invalid_request', 'zzz')
  })
})

describe('If-Match elsewhere', () => {
  it.each(['999999', 'abc'])('[WR-011] is ignored on POST, PUT and DELETE: %s', async (ifMatch) => {
    const ignored = { 'If-Match': ifMatch }
    expect((await own.post('/api/v2/character', { name: 'A' }, ignored)).status).toBe(201)
    expect((await own.put(`/api/v2/character/${made.id}`, { name: 'B' }, ignored)).status).toBe(200)
    expect((await own.delete(`/api/v2/character/${made.id}`, undefined, ignored)).status).toBe(204)
  })
})
