import { gzipSync } from 'node:zlib'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi, expectError, headOf, Raw } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

const cap = 2_621_440
let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

/** JSON of exactly so many bytes. */
const sized = (bytes: number, name = 'Big') => {
  const empty = JSON.stringify({ name, description: '' })
  return JSON.stringify({ name, description: 'x'.repeat(bytes - empty.length) })
}
const zipped = { 'Content-Encoding': 'gzip' }
const zip = (text: string) => gzipSync(text) as unknown as string

/** Sends a body in chunks, without saying how long it is. */
async function chunked(line: string, body: string): Promise<Body> {
  const raw = new Raw(system.gateway).send(headOf(own, line, ['Transfer-Encoding: chunked']))
  for (let at = 0; at < body.length; at += 300_000) {
    const piece = body.slice(at, at + 300_000)
    raw.send(`${piece.length.toString(16)}\r\n${piece}\r\n`)
  }
  raw.send('0\r\n\r\n')
  const reply = await raw.reply()
  raw.leave()
  return reply
}

const routes: readonly [name: string, send: (body: string, more?: Record<string, string>) => Promise<Body>][] = [
  ['a create', (body, more) => own.post('/api/v2/character', body, more)],
  ['a put', (body, more) => own.put('/api/v2/character/01900000-0000-7000-8000-000000000000', body, more)],
  ['a patch', (body, more) => own.patch('/api/v2/character/01900000-0000-7000-8000-000000000000', body, more)],
  ['a link operation', (body, more) => own.post(`/api/v2/zone/${own.world}/links/populations`, body, more)],
  ['bulk', (body, more) => own.post('/api/v2/bulk', body, more)],
  ['a change of the world', (body, more) => own.patch('/api/v2/world', body, more)],
  ['a new world', (body, more) => accountApi(system.gateway, own.token).post('/api/v2/account/worlds', body, more)],
]

describe('a request body', () => {
  it('[LM-004] of 2,621,440 bytes is taken, as it is and in chunks', async () => {
    const body = sized(cap)
    expect(Buffer.byteLength(body)).toBe(cap)
    const made = expectBody(await own.post('/api/v2/character', body), 201)
    expect((await own.read('character', made.id)).description).toBe(JSON.parse(body).description)
    expect((await chunked('POST /api/v2/character', sized(cap, 'Two'))).status).toBe(201)
    expect(await own.head()).toBe(2)
  })

  it.each(routes)('[LM-004][LM-005] of one byte more is 413 and nothing is written: %s', async (_name, send) => {
    const world = (await own.get('/api/v2/world')).body
    expectError(await send(sized(cap + 1)), 'payload_too_large')
    expect(await own.head()).toBe(0)
    expect((await own.get('/api/v2/world')).body).toEqual(world)
  })

  it('[LM-004][LM-005] of one byte more is 413 in chunks too', async () => {
    expectError(await chunked('POST /api/v2/character', sized(cap + 1)), 'payload_too_large')
    expect(await own.head()).toBe(0)
  })

  it('[LM-005] that is a bulk over the cap writes none of its items', async () => {
    const items = Array.from({ length: 1000 }, () => ({
      type: 'zone',
      element: { name: 'Z', description: 'x'.repeat(2_600) },
    }))
    expectError(await own.post('/api/v2/bulk', { items }), 'payload_too_large')
    expect(await own.head()).toBe(0)
    expect((await own.get('/api/v2/zone')).body.data).toEqual([])
  })

  it('[LM-004] is counted in bytes, not in characters', async () => {
    const wide = JSON.stringify({ name: 'x', description: '🜁'.repeat(655_361) })
    expect(wide.length).toBeLessThan(cap)
    expectError(await own.post('/api/v2/character', wide), 'payload_too_large')
  })

  it('[LM-004] is looked at after the key, its scope and its PIN', async () => {
    expectError(await own.post('/api/v2/zone', sized(cap + 1), { 'API-Pin': '4321' }), 'invalid_credentials')
    expectError(await own.post('/api/v2/zone', sized(cap + 1), { 'API-Key': 'ow_w_x' }), 'invalid_credentials')
  })
})

describe('a compressed body', () => {
  it('[LM-004] is read', async () => {
    expect(expectBody(await own.post('/api/v2/character', zip('{"name":"Ann"}'), zipped), 201).name).toBe('Ann')
  })

  it('[LM-004] may inflate to 2,621,440 bytes', async () => {
    expect((await own.post('/api/v2/character', zip(sized(cap)), zipped)).status).toBe(201)
  })

  it.each(routes)('[LM-004][LM-005] that inflates to more is 413 and nothing is written: %s', async (_name, send) => {
    expectError(await send(zip(sized(cap + 1)), zipped), 'payload_too_large')
    expectError(await send(zip(sized(200 << 20)), zipped), 'payload_too_large')
    expect(await own.head()).toBe(0)
  })

  it('[LM-004] that is broken is 422', async () => {
    const whole = gzipSync('{"name":"Ann"}')
    const broken = [Buffer.from('{"name":"Ann"}'), whole.subarray(0, -5), Buffer.from([0x1f, 0x8b]), Buffer.from('')]
    for (const body of broken) {
      expectError(await own.post('/api/v2/character', body as unknown as string, zipped), 'invalid_request')
    }
    expect(await own.head()).toBe(0)
  })
})
