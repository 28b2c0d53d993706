import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { describeRows, error, expectError, type Hostile, headOf, type Known, newKnown, Raw } from './hostile-table'
import { expectBody, newOwner } from './support'

let system: System
let known: Known

beforeAll(async () => {
  system = await startSystem()
  known = await newKnown(system)
})
afterAll(() => system.stop())

const bad = 'invalid_request'
const one = ({ character }: Known) => `/api/v2/character/${character}`
const once = () => ({ 'Idempotency-Key': randomUUID() })

const rows: readonly Hostile[] = [
  ...['abc', '', ' ', '-1', '1.5', '"1', 'W/"1"', '1, 2', '0x1', '9'.repeat(400)].map((value): Hostile => {
    const headers = { 'If-Match': value }
    return {
      no: 38,
      title: `If-Match ${value.slice(0, 20)}`,
      method: 'patch',
      path: one,
      body: {},
      headers,
      answer: bad,
      param: 'If-Match',
    }
  }),
  {
    no: 38,
    title: 'If-Match *',
    clauses: '[WR-011]',
    method: 'patch',
    path: one,
    body: {},
    headers: { 'If-Match': '*' },
    answer: 200,
  },
  {
    no: 38,
    title: 'If-Match * on an absent one',
    method: 'patch',
    path: `/api/v2/zone/${randomUUID()}`,
    body: {},
    headers: { 'If-Match': '*' },
    answer: 'not_found',
  },
  {
    no: 39,
    title: 'If-Match on PUT',
    method: 'put',
    path: one,
    body: { name: 'Kept' },
    headers: { 'If-Match': 'abc' },
    answer: 200,
  },
  {
    no: 39,
    title: 'If-Match on DELETE',
    method: 'delete',
    path: `/api/v2/zone/${randomUUID()}`,
    headers: { 'If-Match': '1' },
    answer: 204,
  },
  { no: 39, title: 'If-Match on POST', body: { name: 'x' }, headers: { 'If-Match': 'abc' }, answer: 201 },
  {
    no: 40,
    title: 'an Idempotency-Key of 200',
    clauses: '[ID-016]',
    body: { name: 'x' },
    headers: { 'Idempotency-Key': 'k'.repeat(200) },
    answer: 201,
  },
  ...['k'.repeat(201), ''].flatMap((value): Hostile[] => {
    const row = {
      no: 40,
      clauses: '[ID-016]',
      headers: { 'Idempotency-Key': value },
      answer: bad,
      param: 'Idempotency-Key',
    }
    return [
      { ...row, title: `an Idempotency-Key of ${value.length}`, body: { name: 'x' } },
      { ...row, title: `an Idempotency-Key of ${value.length} on bulk`, path: '/api/v2/bulk', body: { items: [] } },
    ]
  }),
]

describeRows('a hostile header', () => known, rows)

describe('headers together with bodies', () => {
  it('hostile 38: [WR-046][WR-049] a stale If-Match is 412 with the current element, an equal one is 200', async () => {
    const { own } = known
    const { id, change_seq } = await own.make('character')
    for (const form of [String(change_seq), `"${change_seq}"`]) {
      const moved = await own.patch(`/api/v2/character/${id}`, { level: 1 }, { 'If-Match': form })
      const current = await own.read('character', id)
      const stale = await own.patch(`/api/v2/character/${id}`, { level: 2 }, { 'If-Match': String(change_seq + 900) })
      expect({ status: stale.status, body: stale.body }).toEqual({
        status: 412,
        body: { error: error('precondition_failed', 'If-Match'), current },
      })
      expect(moved.status).toBe(form.startsWith('"') ? 412 : 200)
      expect(await own.read('character', id)).toEqual(current)
    }
  })

  it('hostile 40: two Idempotency-Key headers are 422', async () => {
    const lines = ['Idempotency-Key: a', 'Idempotency-Key: b', 'Content-Length: 12']
    const before = await known.own.head()
    const raw = new Raw(system.gateway).send(`${headOf(known.own, 'POST /api/v2/zone', lines)}{"name":"Z"}`)
    expectError(await raw.reply(), bad, 'Idempotency-Key')
    raw.leave()
    expect(await known.own.head()).toBe(before)
  })

  it('hostile 41: [ID-004][ID-005][ID-007][ID-008] a key replays its reply, refuses another body, and forgets errors', async () => {
    const [{ own }, other, key] = [known, await newOwner(system), once()]
    expectError(await own.post('/api/v2/zone', { name: 5, foo: 1 }, key), bad, 'foo')
    const first = await own.post('/api/v2/zone', { name: 'Z' }, key)
    const again = await own.post('/api/v2/zone', ' {"name" : "Z"}', key)
    expect([first.status, first.headers.get('idempotent-replay')]).toEqual([201, null])
    expect([again.status, again.headers.get('idempotent-replay'), again.text]).toEqual([201, 'true', first.text])
    expectError(await own.post('/api/v2/zone', { name: 'Y' }, key), 'idempotency_error', 'Idempotency-Key')
    expectError(await own.post('/api/v2/zone', { foo: 1 }, key), 'idempotency_error', 'Idempotency-Key')
    const theirs = await other.post('/api/v2/zone', { name: 'Y' }, key)
    expect([theirs.status, theirs.headers.get('idempotent-replay')]).toEqual([201, null])
  })

  it('hostile 42: [ID-007] a key used on another route is 409', async () => {
    const [{ own }, key] = [known, once()]
    expectBody(await own.post('/api/v2/zone', { name: 'Z' }, key), 201)
    const before = await own.head()
    expectError(await own.post('/api/v2/map', { name: 'Z' }, key), 'idempotency_error', 'Idempotency-Key')
    expectError(await own.post('/api/v2/bulk', { items: [] }, key), 'idempotency_error', 'Idempotency-Key')
    expect(await own.head()).toBe(before)
  })
})
