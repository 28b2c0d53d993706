import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectRefusal, newOwner, newReader, type Owner, timestampForm } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const feed = async (query = ''): Promise<Body> => expectBody(await own.get(`/api/v2/changes${query}`), 200)
const since = (cursor: string, more = '') => feed(`?since=${encodeURIComponent(cursor)}${more}`)
const facts = ({ changes }: Body) => changes.map(({ op, id, change_seq }: Body) => [op, id, change_seq])
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `N${index}` }))

describe('a page', () => {
  it('[CF-008][CF-030] of an empty world has its cursor, head 0 and no epoch', async () => {
    const empty = { has_more: false, head: 0, epoch: null, epoch_reason: null, changes: [] }
    expect(await feed()).toEqual({ cursor: expect.any(String), ...empty })
  })

  it('[CF-013][CF-014][CF-015] shows an upsert with the element as it is read', async () => {
    const made = await own.make('character', { location: (await own.make('location')).id, x_a: [1] })
    const { id, updated_at, change_seq } = made
    const { changes } = await feed()
    expect(changes[1]).toEqual({ op: 'upsert', type: 'character', id, updated_at, change_seq, element: made })
    expect(changes[1].element).toEqual(await own.read('character', id))
  })

  it('[CF-013][CF-016][CF-002][CF-017][CF-018][CF-019][CF-020] shows a deletion with how it came', async () => {
    const { id } = await own.make('character')
    await own.delete(`/api/v2/character/${id}`)
    const { changes, head } = await feed()
    const by = { deleted_at: expect.stringMatching(timestampForm), deleted_by: null, deleted_via: 'api' }
    expect(changes).toEqual([{ op: 'delete', type: 'character', id, change_seq: 2, ...by, reason: 'deleted' }])
    expect(head).toBe(2)
  })

  it('[CF-005] holds 500 records unless asked otherwise', async () => {
    await own.seed('character', numbered(501))
    const { changes, has_more } = await feed()
    expect([changes.length, has_more]).toEqual([500, true])
  })

  it.each([
    ['5000', 1000, true],
    ['1000', 1000, true],
    ['0', 1, true],
    ['-3', 1, true],
  ])('[CF-006] with limit=%s holds %i records', async (limit, rows, more) => {
    await own.seed('character', numbered(1000))
    await own.make('character')
    const { changes, has_more } = await feed(`?limit=${limit}`)
    expect([changes.length, has_more]).toEqual([rows, more])
  })

  it.each([
    ['CF-004', 'cursor', 'x'],
    ['CF-004', 'zzz', '1'],
    ['CF-004', 'type', 'character'],
    ['CF-053', 'limit', 'abc'],
    ['CF-053', 'limit', '1.5'],
    ['CF-007', 'head', 'yes'],
    ['CF-003', 'since', 'abc'],
    ['CF-003', 'since', '1'],
  ])('[%s] is refused for %s=%s', async (_id, param, value) => {
    expectRefusal(await own.get(`/api/v2/changes?${param}=${value}`), 422, 'invalid_request', param)
  })

  it('[CF-054] is open to a read key, whose walk is the same', async () => {
    await own.make('character')
    const reader = await newReader(system, own)
    const page = expectBody(await reader.get('/api/v2/changes'), 200)
    expect(page).toEqual(await feed())
    expect((await reader.get(`/api/v2/changes?since=${page.cursor}`)).status).toBe(200)
  })

  it('[CF-053] is closed without a key', async () => {
    expectRefusal(await own.get('/api/v2/changes', { 'API-Key': 'ow_r_none' }), 401, 'invalid_credentials')
  })
})

describe('head=true', () => {
  it('[CF-007][CF-008][CF-030] is the tip without records', async () => {
    await own.seed('character', numbered(2))
    const none = { has_more: false, epoch: null, epoch_reason: null, changes: [] }
    expect(await feed('?head=true')).toEqual({ cursor: expect.any(String), head: 2, ...none })
  })

  it('[CF-039] gives a cursor to go on with', async () => {
    await own.make('character')
    const { cursor } = await feed('?head=true')
    expect((await since(cursor)).changes).toEqual([])
    expect((await feed()).cursor).toBe(cursor)
    const { id } = await own.make('character')
    expect(facts(await since(cursor))).toEqual([['upsert', id, 2]])
  })

  it('[CF-007] looks neither at since nor at limit', async () => {
    await own.make('character')
    const tip = await feed('?head=true')
    expect(await feed(`?head=true&limit=1&since=${tip.cursor}`)).toEqual(tip)
    expect(await feed('?head=true&since=abc')).toEqual(tip)
  })

  it('[CF-007] does not even look at a limit that is none', async () => {
    expect(await feed('?head=true&limit=abc')).toEqual(await feed('?head=true'))
  })

  it('[CF-007] is not asked for by head=false', async () => {
    await own.make('character')
    expect(await feed('?head=false')).toEqual(await feed())
  })
})

describe('the change sequence', () => {
  it('[CF-056][CF-024] moves by one place with each write of an element', async () => {
    const moves = async (write: () => Promise<unknown>) => {
      const before = await own.head()
      await write()
      return (await own.head()) - before
    }
    const id = randomUUID()
    const path = `/api/v2/character/${id}`
    const item = { type: 'zone', element: { name: 'Z' } }
    expect(await moves(() => own.post('/api/v2/character', { id, name: 'A' }))).toBe(1)
    expect(await moves(() => own.put(path, { name: 'A' }))).toBe(1)
    expect(await moves(() => own.patch(path, {}))).toBe(1)
    expect(await moves(() => own.post(`${path}/links/friends`, { add: [id] }))).toBe(1)
    expect(await moves(() => own.post('/api/v2/bulk', { items: [item, item, item] }))).toBe(3)
    expect(await moves(() => own.delete(path))).toBe(1)
    expect(await moves(() => own.delete(path))).toBe(0)
    expect(await moves(() => own.post('/api/v2/character', {}))).toBe(0)
  })

  it('[CF-026][CF-027] does not move with the fields of the world, which are polled', async () => {
    const { updated_at } = await own.make('character')
    const { cursor, head } = await feed()
    const reader = await newReader(system, own)
    const before = expectBody(await reader.get('/api/v2/world'), 200)
    expectBody(await own.patch('/api/v2/world', { description: 'Changed' }), 200)
    const page = await since(cursor)
    expect([page.changes, page.head]).toEqual([[], head])
    for (const who of [own, reader]) {
      const { updated_at: now } = expectBody(await who.get('/api/v2/world'), 200)
      expect(now > before.updated_at && now > updated_at).toBe(true)
    }
  })
})
