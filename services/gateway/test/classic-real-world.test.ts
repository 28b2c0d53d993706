import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { classicName } from '@worlds/domain/classic'
import { type System, startSystem } from '@worlds/testkit/system'
import { call, closeClients, connect } from './mcp-support'
import { type Body, categoryOf, newOwner, type Owner } from './support'

/** A real world by the classic door. Where it is not beside the project, jest.config.js leaves this file out. */
const file = join(__dirname, '../../../../shared/data/real-world.ndjson.gz')

interface Item {
  readonly type: string
  readonly element: Body
}

const items = gunzipSync(readFileSync(file))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Item)
const types = [...new Set(items.map(({ type }) => type))]
const root = '/api/worldapi'

let system: System
let own: Owner
beforeAll(async () => {
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '1000000' } } })
  own = await newOwner(system)
})
afterAll(() => system.stop())
afterEach(closeClients)

/** Some at a time, as a client would that has thousands to send. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await work(one)
  }
  await Promise.all(Array.from({ length: 24 }, worker))
}

/** Links to what is not there yet are refused: they come once all is there. */
function split({ type, element }: Item): [fields: Body, links: Body] {
  const { writable } = categoryOf(type)
  const fields: Body = {}
  const links: Body = {}
  for (const [name, value] of Object.entries(element)) {
    const field = writable.get(name)
    const isPlain = field === undefined || field.kind === 'text' || field.kind === 'integer'
    if (isPlain) fields[name] = value
    else links[classicName(field)] = value
  }
  return [fields, links]
}

describe('a real world', () => {
  it('[CL-004][CL-018][CL-019][VR-002] goes in by the classic dialect', async () => {
    const refused: Body[] = []
    await each(items, async (item) => {
      const { status, body } = await own.post(`${root}/${item.type}/`, split(item)[0])
      if (status !== 201) refused.push(body)
    })
    await each(items, async (item) => {
      const [{ id }, links] = split(item)
      if (Object.keys(links).length === 0) return
      const { status, body } = await own.patch(`${root}/${item.type}/${id}/`, links)
      if (status !== 200) refused.push(body)
    })
    expect(refused).toEqual([])
  }, 300_000)

  it('comes out of the current dialect field by field as it went in', async () => {
    const stored = new Map<string, Body>()
    for (let since = '0', more = true; more; ) {
      const { body } = await own.get(`/api/v2/changes?limit=1000&since=${encodeURIComponent(since)}`)
      for (const { id, element } of body.changes) stored.set(id, element)
      since = body.cursor
      more = body.has_more
    }
    expect(stored.size).toBe(items.length)
    for (const { type, element } of items) expect(stored.get(element.id)).toMatchObject({ type, ...element })
  })

  it('comes out of the tools so too', async () => {
    const client = await connect(system, { ...own.headers })
    const stored = new Map<string, Body>()
    for (const type of types) {
      for (let cursor: Body = {}; cursor !== null; ) {
        const page: Body = await call(client, 'list_elements', { type, limit: 1000, ...cursor })
        for (const element of page.data) stored.set(element.id, element)
        cursor = page.has_more ? { cursor: page.next_cursor } : null
      }
    }
    expect(stored.size).toBe(items.length)
    for (const { type, element } of items) expect(stored.get(element.id)).toMatchObject({ type, ...element })
  })

  it('comes out of the classic lists, links as stubs of what they name', async () => {
    const names = new Map(items.map(({ element }) => [element.id, element.name]))
    let count = 0
    for (const type of types) {
      const { body } = await own.get(`${root}/${type}/`)
      const sent = new Map(items.filter((item) => item.type === type).map(({ element }) => [element.id, element]))
      expect(body).toHaveLength(sent.size)
      count += body.length
      for (const shown of body) {
        const element = sent.get(shown.id)
        for (const [name, value] of Object.entries(element)) {
          const isLink = categoryOf(type).links.has(name)
          const stubs = (ids: unknown[]) => ids.map((id) => expect.objectContaining({ id, name: names.get(id) }))
          if (!isLink) expect([name, shown[name]]).toEqual([name, value])
          else if (Array.isArray(value)) expect(shown[name]).toEqual(stubs(value))
          else expect([shown[name]]).toEqual(value === null ? [null] : stubs([value]))
        }
      }
    }
    expect(count).toBe(items.length)
  })
})
