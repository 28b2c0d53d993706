import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld } from '@worlds/testkit/world'

/** A real world of 9,131 elements and 31,098 links. Where it is not beside the project, jest.config.js leaves this file out. */
const file = join(__dirname, '../../../../shared/data/real-world.ndjson.gz')

interface Item {
  readonly type: string
  readonly element: { readonly id: string; readonly [field: string]: unknown }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('a real world', () => {
  const items = gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item)
  let system: System
  let owner: Api
  beforeAll(async () => {
    system = await startSystem()
    owner = api(system.gateway, { ...(await newWorld(system)).headers })
  })
  afterAll(() => system.stop())

  it('[BK-001][BK-012] comes in through /bulk', async () => {
    // Some links point into later batches: what fails for that is sent again once all is there.
    const failed = await sendAll(items, 201)
    expect(failed.length).toBeLessThan(items.length / 10)
    expect(await sendAll(failed, 201)).toEqual([])
  })

  it('[BK-013] is replaced by itself the second time', async () => {
    expect(await sendAll(items, 200)).toEqual([])
  })

  it('[CF-010][CF-015][EL-030] comes out of the feed field by field as it went in', async () => {
    const stored = await walk()
    expect(stored.size).toBe(items.length)
    for (const { type, element } of items) {
      const read = stored.get(element.id)
      expect(read).toMatchObject({ type, ...element })
      const unsent = Object.entries(read ?? {}).filter(([name]) => !(name in element) && !serverFields.has(name))
      for (const [, value] of unsent) expect(isEmpty(value)).toBe(true)
    }
  })

  it('[WR-029] names the element with the most carriers nowhere once that is deleted', async () => {
    const [id, count] = mostCarried(items)
    const { type } = items.find(({ element }) => element.id === id) as Item
    const head = (await owner.get('/api/v2/changes?head=true')).body.head
    expect((await owner.delete(`/api/v2/${type}/${id}`)).status).toBe(204)
    const after = await owner.get('/api/v2/changes?head=true')
    expect(after.body.head).toBe(head + count + 1)
    const left = await walk()
    expect(left.size).toBe(items.length - 1)
    for (const body of left.values()) expect(JSON.stringify(body)).not.toContain(id)
  })

  /** Sends items in batches; gives back those that failed for a link, and expects `status` of all others. */
  async function sendAll(all: readonly Item[], status: number): Promise<Item[]> {
    const failed: Item[] = []
    for (let from = 0; from < all.length; from += 1000) {
      const batch = all.slice(from, from + 1000)
      const { body } = await owner.post('/api/v2/bulk', { items: batch })
      batch.forEach((item, index) => {
        const slot = body.items[index]
        if (slot.status === 400) failed.push(item)
        else expect(slot.status).toBe(status)
      })
    }
    return failed
  }

  async function walk(): Promise<Map<string, Record<string, unknown>>> {
    const elements = new Map<string, Record<string, unknown>>()
    for (let since = '0'; ; ) {
      const { body } = await owner.get(`/api/v2/changes?limit=1000&since=${since}`)
      for (const { op, id, element } of body.changes) {
        if (op === 'upsert') elements.set(id, element)
        else elements.delete(id)
      }
      since = body.cursor
      if (!body.has_more) return elements
    }
  }
})

const serverFields = new Set(['type', 'id', 'created_at', 'updated_at', 'change_seq', 'created_by'])

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0)
}

function mostCarried(items: readonly Item[]): [id: string, carriers: number] {
  const carriers = new Map<string, Set<string>>()
  for (const { element } of items) {
    for (const [name, value] of Object.entries(element)) {
      if (name === 'id') continue
      for (const target of [value].flat()) {
        if (typeof target !== 'string' || !uuid.test(target)) continue
        carriers.set(target, (carriers.get(target) ?? new Set()).add(element.id))
      }
    }
  }
  const [id, sources] = [...carriers].sort(([, a], [, b]) => b.size - a.size)[0] as [string, Set<string>]
  return [id, sources.size]
}
