import { type System, startSystem } from '@worlds/testkit/system'
import pg from 'pg'
import { type Body, expectBody, newOwner, type Owner } from './support'

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

/** Every record of a walk by pages of so many. */
async function walk(limit: number): Promise<Body[]> {
  const records: Body[] = []
  for (let page = await feed(`?limit=${limit}`); ; page = await since(page.cursor, `&limit=${limit}`)) {
    records.push(...page.changes)
    if (!page.has_more) return records
  }
}

async function sql(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  await client.query(text, values).finally(() => client.end())
}

describe('a walk', () => {
  it('[CF-010][CF-011][CF-012] from the beginning is every live element at its latest state, and tombstones', async () => {
    const [a = '', b = '', c = ''] = await own.seed('character', numbered(3))
    for (const description of ['1', '2', '3', '4', '5']) await own.patch(`/api/v2/character/${a}`, { description })
    await own.delete(`/api/v2/character/${c}`)
    const page = await feed()
    expect(facts(page)).toEqual([
      ['upsert', b, 2],
      ['upsert', a, 8],
      ['delete', c, 9],
    ])
    expect(page.changes[1].element.description).toBe('5')
    expect(await feed('?since=0')).toEqual(page)
    expect(await feed('?since=')).toEqual(page)
  })

  it('[CF-009][CF-055] by pages of three meets every record in order and ends', async () => {
    const ids = await own.seed('character', numbered(7))
    await own.delete(`/api/v2/character/${ids[1]}`)
    await own.patch(`/api/v2/character/${ids[0]}`, { description: 'moved' })
    const records = await walk(3)
    expect(records).toEqual((await feed()).changes)
    expect(records.map(({ change_seq }) => change_seq)).toEqual([3, 4, 5, 6, 7, 8, 9])
    expect((await feed('?limit=7')).has_more).toBe(false)
    expect((await feed('?limit=6')).has_more).toBe(true)
  })

  it('[CF-009][CF-011] meets every large element too', async () => {
    const description = 'x'.repeat(2_000_000)
    const ids: string[] = []
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) ids.push((await own.make('law', { name, description })).id)
    const records = await walk(1000)
    expect(records.map(({ id }) => id)).toEqual(ids)
    expect(records.every(({ element }) => element.description === description)).toBe(true)
  })

  it('[CF-003] goes on after its cursor with later changes alone', async () => {
    await own.seed('character', numbered(2))
    const first = await feed()
    expect((await since(first.cursor)).changes).toEqual([])
    const { id } = await own.make('character')
    const second = await since(first.cursor)
    expect(facts(second)).toEqual([['upsert', id, 3]])
    expect((await since(second.cursor)).changes).toEqual([])
  })

  it('[CF-009][CF-011] meets an element again that moved meanwhile, and never misses one', async () => {
    const [a = '', b = '', c = ''] = await own.seed('character', numbered(3))
    const first = await feed('?limit=2')
    await own.patch(`/api/v2/character/${a}`, { description: 'moved' })
    await own.delete(`/api/v2/character/${b}`)
    expect(facts(await since(first.cursor))).toEqual([
      ['upsert', c, 3],
      ['upsert', a, 4],
      ['delete', b, 5],
    ])
  })

  it('[CF-023] has deletions of long ago', async () => {
    const { id } = await own.make('character')
    await own.delete(`/api/v2/character/${id}`)
    await sql(`update element.tombstones set deleted_at = '2001-02-03T04:05:06Z' where world_id = $1`, [own.world])
    const [record] = (await feed()).changes
    expect([record.op, record.id, record.deleted_at]).toEqual(['delete', id, '2001-02-03T04:05:06.000000+00:00'])
  })

  it('[CF-023] has the tombstones of an id that was made again', async () => {
    const { id } = await own.make('character')
    await own.delete(`/api/v2/character/${id}`)
    await own.put(`/api/v2/character/${id}`, { name: 'Again' })
    const before = [
      ['delete', id, 2],
      ['upsert', id, 3],
    ]
    expect(facts(await feed())).toEqual(before)
    await own.delete(`/api/v2/character/${id}`)
    expect(facts(await feed())).toEqual([
      ['delete', id, 2],
      ['delete', id, 4],
    ])
  })

  it('[CF-009][CF-055] that follows writers at work ends with the world as it reads', async () => {
    const copy = new Map<string, Body>()
    const writers = Promise.all(
      Array.from({ length: 5 }, async () => {
        for (let round = 0; round < 8; round += 1) {
          const { id } = await own.make('character')
          await own.patch(`/api/v2/character/${id}`, { level: round })
          if (round % 2 === 1) await own.delete(`/api/v2/character/${id}`)
        }
      }),
    )
    let running = true
    void writers.finally(() => {
      running = false
    })
    let position = 0
    for (let cursor = '0'; ; ) {
      const last = !running
      const page = await since(cursor, '&limit=7')
      for (const { op, id, change_seq, element } of page.changes) {
        expect(change_seq).toBeGreaterThan(position)
        position = change_seq
        if (op === 'upsert') copy.set(id, element)
        else copy.delete(id)
      }
      cursor = page.cursor
      if (last && !page.has_more) break
    }
    await writers
    const { data } = expectBody(await own.get('/api/v2/character?limit=1000'), 200)
    expect([...copy.values()].sort((a, b) => a.change_seq - b.change_seq)).toEqual(data)
    expect(data).toHaveLength(20)
  })
})
