import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `N${index}` }))
const idsOf = ({ data }: Body): string[] => data.map(({ id }: Body) => id)

/** Ids of every page, in the order they came. */
async function walk(own: Owner, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const page = expectBody(await own.get(`${path}?limit=${limit}${cursor}`), 200)
    ids.push(...idsOf(page))
    if (!page.has_more) return ids
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

describe('pages', () => {
  let own: Owner
  let ids: string[]
  beforeAll(async () => {
    own = await newOwner(system)
    ids = await own.seed('zone', numbered(1000))
    ids.push((await own.make('zone')).id)
    await own.seed('map', numbered(101))
    await own.seed('law', numbered(3))
  })

  it('[LS-004][LS-005] have data of whole elements, has_more and next_cursor', async () => {
    const { status, body } = await own.get('/api/v2/law')
    const elements = await Promise.all(idsOf(body).map((id) => own.read('law', id)))
    expect(status).toBe(200)
    expect(body).toEqual({ data: elements, has_more: false, next_cursor: null })
    expect(Object.keys(body)).toEqual(['data', 'has_more', 'next_cursor'])
  })

  it('[LS-004][LS-007] are empty without elements', async () => {
    expect((await own.get('/api/v2/trait')).body).toEqual({ data: [], has_more: false, next_cursor: null })
  })

  it('[LS-006][LS-007] have a cursor exactly while more rows follow', async () => {
    const first = expectBody(await own.get('/api/v2/law?limit=2'), 200)
    expect([first.data.length, first.has_more, typeof first.next_cursor]).toEqual([2, true, 'string'])
    const last = expectBody(await own.get(`/api/v2/law?limit=2&cursor=${first.next_cursor}`), 200)
    expect([last.data.length, last.has_more, last.next_cursor]).toEqual([1, false, null])
    const exact = expectBody(await own.get('/api/v2/law?limit=3'), 200)
    expect([exact.data.length, exact.has_more, exact.next_cursor]).toEqual([3, false, null])
  })

  it.each([
    ['LS-008', 'map', '', 100],
    ['LS-009', 'map', '?limit=0', 1],
    ['LS-009', 'map', '?limit=-3', 1],
    ['LS-010', 'zone', '?limit=5000', 1000],
    ['LS-010', 'zone', '?limit=99999999999999999999', 1000],
    ['LS-010', 'zone', '?limit=1000', 1000],
  ])('[%s] of %s%s hold %i rows', async (_id, type, query, rows) => {
    const { status, body } = await own.get(`/api/v2/${type}${query}`)
    expect([status, body.data.length, body.has_more]).toEqual([200, rows, true])
  })

  it.each(['abc', '1.5', '', '1e2', '0x10'])('[LS-011] refuse limit=%s', async (limit) => {
    expectRefusal(await own.get(`/api/v2/map?limit=${limit}`), 422, 'invalid_request', 'limit')
  })

  it('[LS-012] of one row walk to every element once', async () => {
    expect(await walk(own, '/api/v2/law', 1)).toEqual(idsOf((await own.get('/api/v2/law')).body))
  })

  it('[LS-027][LS-026] of 70 rows walk to every element once, in change order', async () => {
    expect(await walk(own, '/api/v2/zone', 70)).toEqual(ids)
  })

  it('[LS-012][LS-006] of large elements walk to every one too', async () => {
    const large: string[] = []
    const description = 'x'.repeat(2_000_000)
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) large.push((await own.make('title', { name, description })).id)
    expect(await walk(own, '/api/v2/title', 1000)).toEqual(large)
  })

  it('[LS-012] refuse a cursor that was not given for the list', async () => {
    const other = await newOwner(system)
    const { next_cursor: cursor } = expectBody(await own.get('/api/v2/zone?limit=1'), 200)
    const replies = [
      await own.get('/api/v2/zone?cursor=abc'),
      await own.get('/api/v2/zone?cursor='),
      await own.get(`/api/v2/zone?cursor=${cursor}A`),
      await own.get(`/api/v2/map?cursor=${cursor}`),
      await own.get(`/api/v2/zone?name=N1&cursor=${cursor}`),
      await other.get(`/api/v2/zone?cursor=${cursor}`),
    ]
    for (const reply of replies) expectRefusal(reply, 422, 'invalid_request', 'cursor')
  })
})

describe('change order', () => {
  it('[LS-026] puts what was written last at the end', async () => {
    const own = await newOwner(system)
    const [a, b] = await own.seed('character', [{ name: 'A' }, { name: 'B' }])
    await own.patch(`/api/v2/character/${a}`, { description: 'moved' })
    expect(idsOf((await own.get('/api/v2/character')).body)).toEqual([b, a])
  })

  it('[LS-026] shows an element again that moves in the midst of a walk, and never misses one', async () => {
    const own = await newOwner(system)
    const ids = await own.seed('character', numbered(4))
    const first = expectBody(await own.get('/api/v2/character?limit=2'), 200)
    await own.patch(`/api/v2/character/${ids[0]}`, { description: 'moved' })
    const second = expectBody(await own.get(`/api/v2/character?cursor=${first.next_cursor}`), 200)
    expect(idsOf(second)).toEqual([ids[2], ids[3], ids[0]])
    expect(second.data[2].description).toBe('moved')
  })

  it('[LS-005] shows only the elements of the world', async () => {
    const [own, other] = [await newOwner(system), await newOwner(system)]
    await other.make('character')
    const { id } = await own.make('character')
    expect(idsOf((await own.get('/api/v2/character')).body)).toEqual([id])
  })
})
