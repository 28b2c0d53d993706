import { type System, startSystem } from '@worlds/testkit/system'
import { expectNothingWritten, newOwner, type Owner, writes } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

const limit = 65_536

/** Extension fields of so many bytes together, as compact JSON. */
function extensionsOf(bytes: number, filler = 'x'): Record<string, unknown> {
  const extensions = { x_a: '', tool_b: [1, { c: 'ä' }] }
  const room = bytes - Buffer.byteLength(JSON.stringify(extensions))
  const text = filler.repeat(Math.floor(room / Buffer.byteLength(filler)))
  return { ...extensions, x_a: text + 'y'.repeat(room - Buffer.byteLength(text)) }
}

describe.each(writes)('%s', (_method, write) => {
  let id: string
  beforeEach(async () => {
    id = (await own.make('character')).id
  })

  it.each(['x', 'ä', '😀'])('[WR-034] takes extensions of exactly 65,536 bytes, filled with %s', async (filler) => {
    const extensions = extensionsOf(limit, filler)
    const { status, body } = await write(own, 'character', id, { name: 'A', ...extensions })
    expect(status).toBeLessThan(300)
    expect(await own.read('character', body.id)).toMatchObject(extensions)
  })

  it.each(['x', 'ä'])('[WR-035] refuses one byte more, filled with %s', async (filler) => {
    const body = { name: 'A', ...extensionsOf(limit + 1, filler) }
    await expectNothingWritten(own, () => write(own, 'character', id, body), 422, 'invalid_request', 'extensions')
  })

  it('[WR-034] counts the compact form, whatever the spacing', async () => {
    const body = JSON.stringify({ name: 'A', ...extensionsOf(limit) }, null, 8)
    expect((await write(own, 'character', id, body)).status).toBeLessThan(300)
  })
})

describe('a PATCH', () => {
  it('[WR-035] is refused when the merge would be over the limit', async () => {
    const made = await own.make('character', extensionsOf(limit))
    const write = () => own.patch(`/api/v2/character/${made.id}`, { x_b: 1 })
    await expectNothingWritten(own, write, 422, 'invalid_request', 'extensions')
    expect(await own.read('character', made.id)).toEqual(made)
  })

  it('[WR-034] that replaces a key is measured by the merged whole', async () => {
    const { id } = await own.make('character', extensionsOf(limit))
    const { status, body } = await own.patch(`/api/v2/character/${id}`, { x_a: 'short', x_b: 'z'.repeat(60_000) })
    expect([status, body.x_a]).toEqual([200, 'short'])
  })
})

describe('extension fields', () => {
  it('[WR-034] each have the limit of their element, not of the world', async () => {
    for (const _ of [1, 2]) expect((await own.make('character', extensionsOf(limit))).x_a).toMatch(/^x+$/)
  })

  it('[WR-033] leave other prefixes unknown', async () => {
    const write = () => own.post('/api/v2/character', { name: 'A', x_a: 1, y_a: 1 })
    await expectNothingWritten(own, write, 422, 'invalid_request', 'y_a')
  })

  it('[WR-016] go with a PUT that leaves them out', async () => {
    const { id } = await own.make('character', { x_a: 1, x_b: 2 })
    await own.put(`/api/v2/character/${id}`, { name: 'A', x_b: 3 })
    const body = await own.read('character', id)
    expect(Object.keys(body).filter((name) => name.startsWith('x_'))).toEqual(['x_b'])
    expect(body.x_b).toBe(3)
  })
})
