import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createWorld } from '@worlds/testkit/world'
import { accountApi, expectError, headOf, Raw } from './hostile-table'
import { type Body, expectBody, newOwner, newReader, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const by = (headers: Record<string, string>) => api(system.gateway, headers)

describe('a world key', () => {
  it('[AU-001] names one world alone', async () => {
    const { id } = await own.make('character')
    const other = await newOwner(system)
    expectError(await other.get(`/api/v2/character/${id}`), 'not_found')
    expect((await other.get('/api/v2/character')).body.data).toEqual([])
    expectError(await other.patch(`/api/v2/character/${id}`, { name: 'Theirs' }), 'not_found')
    expect((await other.delete(`/api/v2/character/${id}`)).status).toBe(204)
    expect((await own.read('character', id)).name).toBe('Someone')
    expect((await own.get('/api/v2/me')).body.world.id).toBe(own.world)
    expect((await other.get('/api/v2/me')).body.world.id).toBe(other.world)
  })

  it('[AU-001] of one world does not reach another of the same account', async () => {
    const { id } = await own.make('character')
    const { key } = await createWorld(system, own.token)
    expectError(await by({ 'API-Key': key }).get(`/api/v2/character/${id}`), 'not_found')
  })

  it('[AU-002] is sent as API-Key, in any case', async () => {
    expect((await by({ 'API-Key': own.key }).get('/api/v2/world')).status).toBe(200)
    expect((await by({ 'api-KEY': own.key }).get('/api/v2/world')).status).toBe(200)
    expectError(await by({}).get('/api/v2/world'), 'invalid_credentials')
    expectError(await by({ 'X-API-Key': own.key }).get('/api/v2/world'), 'invalid_credentials')
    expectError(await by({ Authorization: `Bearer ${own.key}` }).get('/api/v2/world'), 'invalid_credentials')
  })

  it('[AU-004] that writes reads and writes', async () => {
    expect(own.key).toMatch(/^ow_w_/)
    expect((await own.post('/api/v2/character', { name: 'Ann' })).status).toBe(201)
    expect((await own.get('/api/v2/character')).body.data.map(({ name }: Body) => name)).toEqual(['Ann'])
  })

  it('[AU-005] that reads opens every route that reads', async () => {
    const { id } = await own.make('character')
    const reader = await newReader(system, own)
    const paths = ['character', `character/${id}`, 'changes', 'changes?head=true', 'world', 'me', 'members']
    const replies = await Promise.all(paths.map((path) => reader.get(`/api/v2/${path}`)))
    expect(replies.map(({ status }) => status)).toEqual(paths.map(() => 200))
  })

  it('[AU-027] is told apart from one of another case, a shorter and a longer one', async () => {
    const cased = own.key.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase())
    for (const key of [cased, own.key.slice(0, -1), `${own.key}0`, own.key.repeat(20)]) {
      expectError(await by({ 'API-Key': key }).get('/api/v2/world'), 'invalid_credentials')
    }
  })
})

describe('a read key on a route that writes', () => {
  let reader: Api
  let id: string
  beforeEach(async () => {
    id = (await own.make('character')).id
    reader = await newReader(system, own)
  })

  const links = (known: string) => `/api/v2/character/${known}/links/friends`
  it.each<[string, (path: (rest: string) => string) => Promise<Body>]>([
    ['POST', () => reader.post('/api/v2/character', { name: 'x' })],
    ['PUT', (path) => reader.put(path(''), { name: 'x' })],
    ['PATCH', (path) => reader.patch(path(''), { name: 'x' })],
    ['DELETE', (path) => reader.delete(path(''))],
    ['a link operation', () => reader.post(links(id), { add: [id] })],
    ['bulk', () => reader.post('/api/v2/bulk', { items: [] })],
    ['PATCH of the world', () => reader.patch('/api/v2/world', { name: 'x' })],
  ])('[AU-006][ER-022] is 403 permission_error for %s', async (_name, send) => {
    const before = [await own.head(), (await own.get('/api/v2/world')).body]
    expectError(await send((rest) => `/api/v2/character/${id}${rest}`), 'permission_error')
    expect([await own.head(), (await own.get('/api/v2/world')).body]).toEqual(before)
  })

  it('[AU-006] is 403 whatever PIN, id and body it carries', async () => {
    const pins: Record<string, string>[] = [{}, { 'API-Pin': own.pin }, { 'API-Pin': '9999' }]
    for (const headers of pins) {
      expectError(await reader.patch('/api/v2/character/nope', '{', headers), 'permission_error')
      expectError(await reader.delete(`/api/v2/zone/${randomUUID()}`, undefined, headers), 'permission_error')
    }
  })
})

describe('a key that is refused', () => {
  const keyMessage = expect.stringMatching(/key/i)

  it.each(['world', 'me', 'members', 'character', 'changes', `character/${randomUUID()}`])(
    '[AU-026][ER-020] is 401 when it is missing on %s',
    async (path) => {
      expectError(await by({}).get(`/api/v2/${path}`), 'invalid_credentials', null, keyMessage)
      expectError(await by({ 'API-Key': '' }).get(`/api/v2/${path}`), 'invalid_credentials', null, keyMessage)
    },
  )

  it('[AU-026] is 401 when it is missing on a write, whatever else is wrong', async () => {
    expectError(await by({}).post('/api/v2/character', '{'), 'invalid_credentials', null, keyMessage)
    expectError(await by({ 'API-Pin': '1234' }).post('/api/v2/bulk?x=1', 'x'), 'invalid_credentials', null, keyMessage)
  })

  it.each(['ow_w_zzz', 'ow_r_zzz', 'zzz', '0123456789', `ow_w_${'0'.repeat(43)}`, 'ow_w_', "' or 1=1 --"])(
    '[AU-027] is 401 when nobody holds it: %s',
    async (key) => {
      expectError(await by({ 'API-Key': key }).get('/api/v2/world'), 'invalid_credentials', null, keyMessage)
      const write = by({ 'API-Key': key, 'API-Pin': own.pin }).post('/api/v2/character', { name: 'x' })
      expectError(await write, 'invalid_credentials', null, keyMessage)
    },
  )

  it('[AU-030] is told apart from a PIN that is refused', async () => {
    const missingKey = await by({ 'API-Pin': own.pin }).post('/api/v2/character', { name: 'x' })
    const unknownKey = await by({ 'API-Key': 'ow_w_z', 'API-Pin': own.pin }).post('/api/v2/character', { name: 'x' })
    const missingPin = await by({ 'API-Key': own.key }).post('/api/v2/character', { name: 'x' })
    const wrongPin = await by({ 'API-Key': own.key, 'API-Pin': '4321' }).post('/api/v2/character', { name: 'x' })
    for (const reply of [missingKey, unknownKey]) {
      expectError(reply, 'invalid_credentials', null, expect.not.stringMatching(/pin\b/i))
      expectError(reply, 'invalid_credentials', null, keyMessage)
    }
    for (const reply of [missingPin, wrongPin]) {
      expectError(reply, 'invalid_credentials', null, expect.stringMatching(/\bPIN\b/))
      expectError(reply, 'invalid_credentials', null, expect.not.stringMatching(/key\b/i))
    }
  })

  it('[AU-008] is an account token, and a world key is no account token', async () => {
    expectError(await by({ 'API-Key': own.token }).get('/api/v2/character'), 'invalid_credentials')
    expectError(await accountApi(system.gateway, own.key).get('/api/v2/account/worlds'), 'invalid_credentials')
  })

  it('[AU-027] is one sent twice', async () => {
    const raw = new Raw(system.gateway).send(headOf(own, 'GET /api/v2/world', [`API-Key: ${own.key}`]))
    expectError(await raw.reply(), 'invalid_credentials')
    raw.leave()
  })
})

describe('minting', () => {
  it('[AU-012] takes the account token, not a world key', async () => {
    const path = `/api/v2/account/worlds/${own.world}/keys`
    expectError(await own.post(path, { scope: 'write' }), 'invalid_credentials')
    expectError(await own.post('/api/v2/keys', { scope: 'write' }), 'not_found')
    const { data } = expectBody(await accountApi(system.gateway, own.token).get(path), 200)
    expect(data).toHaveLength(1)
  })

  it('[AU-011] gives prefixed keys alone', async () => {
    const account = accountApi(system.gateway, own.token)
    const mint = async (body?: Body) =>
      expectBody(await account.post(`/api/v2/account/worlds/${own.world}/keys`, body), 201).key
    const keys = [own.key, await mint(), await mint({ scope: 'write' })]
    for (const key of keys) expect(key).toMatch(/^ow_w_[\w-]{40,}$/)
    expect(await mint({ scope: 'read' })).toMatch(/^ow_r_[\w-]{40,}$/)
  })
})
