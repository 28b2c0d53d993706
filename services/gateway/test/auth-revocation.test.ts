import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createWorld } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let account: Api

beforeAll(async () => {
  const env = { gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000', PIN_TRIES: '100000' } }
  system = await startSystem({ gateways: 2, env })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  account = accountApi(system.gateway, own.token)
})

const keys = () => `/api/v2/account/worlds/${own.world}/keys`
const mint = async (scope: string): Promise<Body> => expectBody(await account.post(keys(), { scope }), 201)

/** The other gateway, which has the key in its cache when it answered once. */
async function elsewhere(key: string): Promise<Api> {
  const other = api(system.gateways[1] as string, { 'API-Key': key, 'API-Pin': own.pin })
  for (const path of ['world', 'character', 'changes', 'me', 'members']) {
    expect((await other.get(`/api/v2/${path}`)).status).toBe(200)
  }
  return other
}

/** Each kind of request that a key can make. */
const requests: readonly [string, (by: Api) => Promise<Body>][] = [
  ['the world', (by) => by.get('/api/v2/world')],
  ['who it is', (by) => by.get('/api/v2/me')],
  ['the roster', (by) => by.get('/api/v2/members')],
  ['a list', (by) => by.get('/api/v2/character')],
  ['the feed', (by) => by.get('/api/v2/changes')],
  ['a create', (by) => by.post('/api/v2/character', { name: 'Late' })],
  ['a delete', (by) => by.delete('/api/v2/character/00000000-0000-4000-8000-000000000000')],
  ['bulk', (by) => by.post('/api/v2/bulk', { items: [] })],
  ['a change of the world', (by) => by.patch('/api/v2/world', { name: 'Late' })],
]

/** Requests that are refused by themselves; that the credential no longer holds is told before. */
const refused: readonly [string, (by: Api) => Promise<Body>][] = [
  ['an unknown query parameter', (by) => by.get('/api/v2/character?x=1')],
  ['a malformed id', (by) => by.get('/api/v2/character/nope')],
  ['a cursor that is none', (by) => by.get('/api/v2/changes?since=nope')],
  ['a body that is no JSON', (by) => by.post('/api/v2/character', '{')],
  ['an unknown field', (by) => by.post('/api/v2/character', { name: 'x', foo: 1 })],
  ['a bulk without items', (by) => by.post('/api/v2/bulk', {})],
  ['a field that the world does not have', (by) => by.patch('/api/v2/world', { foo: 1 })],
  ['a body that is too large', (by) => by.post('/api/v2/character', ' '.repeat(2_621_441))],
]

describe('a revoked key', () => {
  it.each(refused)('[AU-031] is told so before anything else is wrong: %s', async (_name, send) => {
    const { id, key } = await mint('write')
    const other = await elsewhere(key)
    expect((await account.delete(`${keys()}/${id}`)).status).toBe(204)
    expectError(await send(other), 'key_revoked')
  })

  it.each(requests)('[AU-031][ER-021] is 401 key_revoked on the very next request elsewhere: %s', async (_n, send) => {
    const { id, key } = await mint('write')
    const other = await elsewhere(key)
    expect((await send(other)).status).toBeLessThan(300)
    expect((await account.delete(`${keys()}/${id}`)).status).toBe(204)
    const before = await own.head()
    expectError(await send(other), 'key_revoked')
    expectError(await send(api(system.gateway, { 'API-Key': key, 'API-Pin': own.pin })), 'key_revoked')
    expect(await own.head()).toBe(before)
  })

  it('[AU-031] that reads is refused at once too, for ever, and with any PIN', async () => {
    const { id, key } = await mint('read')
    const other = await elsewhere(key)
    expect((await account.delete(`${keys()}/${id}`)).status).toBe(204)
    for (let turn = 0; turn < 3; turn += 1) {
      for (const [, send] of requests) expectError(await send(other), 'key_revoked')
    }
    expectError(await other.post('/api/v2/character', '{', { 'API-Pin': '9999' }), 'key_revoked')
  })

  it('[AU-031] leaves the other keys of the world as they were', async () => {
    const [gone, kept] = [await mint('write'), await mint('write')]
    expect((await account.delete(`${keys()}/${gone.id}`)).status).toBe(204)
    expect((await (await elsewhere(kept.key)).post('/api/v2/character', { name: 'On' })).status).toBe(201)
    expect((await own.post('/api/v2/character', { name: 'On' })).status).toBe(201)
  })

  it('[AU-031] never replays a stored reply', async () => {
    const { id, key } = await mint('write')
    const other = await elsewhere(key)
    const send = () => other.post('/api/v2/character', { name: 'Once' }, { 'Idempotency-Key': 'revoked' })
    expectBody(await send(), 201)
    expect((await account.delete(`${keys()}/${id}`)).status).toBe(204)
    expectError(await send(), 'key_revoked')
  })
})

describe('a deleted world', () => {
  it.each(requests)('[AU-032] answers invalid_credentials on the very next request elsewhere: %s', async (_n, send) => {
    const other = await elsewhere(own.key)
    expect((await account.delete(`/api/v2/account/worlds/${own.world}`)).status).toBe(204)
    const reply = await send(other)
    expectError(reply, 'invalid_credentials', null, expect.stringMatching(/key/i))
    const unknown = await send(api(system.gateway, { 'API-Key': `ow_w_${'a'.repeat(43)}`, 'API-Pin': own.pin }))
    expect(reply.text).toBe(unknown.text)
  })

  it('[AU-032] answers invalid_credentials to its revoked and its read keys too', async () => {
    const [read, revoked] = [await mint('read'), await mint('write')]
    expect((await account.delete(`${keys()}/${revoked.id}`)).status).toBe(204)
    expect((await account.delete(`/api/v2/account/worlds/${own.world}`)).status).toBe(204)
    for (const { key } of [read, revoked]) {
      expectError(await api(system.gateway, { 'API-Key': key }).get('/api/v2/world'), 'invalid_credentials')
    }
  })

  it('[AU-032] leaves the other worlds of its owner', async () => {
    const other = await createWorld(system, own.token, 'Kept')
    expect((await account.delete(`/api/v2/account/worlds/${own.world}`)).status).toBe(204)
    expect((await api(system.gateway, { 'API-Key': other.key }).get('/api/v2/world')).body.name).toBe('Kept')
    const { data } = expectBody(await account.get('/api/v2/account/worlds'), 200)
    expect(data.map(({ id }: Body) => id)).toEqual([other.id])
  })

  it('[AU-032] never replays a stored reply', async () => {
    const other = await elsewhere(own.key)
    const send = () => other.post('/api/v2/character', { name: 'Once' }, { 'Idempotency-Key': 'deleted' })
    expectBody(await send(), 201)
    expect((await account.delete(`/api/v2/account/worlds/${own.world}`)).status).toBe(204)
    expectError(await send(), 'invalid_credentials')
  })
})

describe('a new PIN', () => {
  const set = async (pin: string) =>
    expectBody(await account.patch('/api/v2/account', { pin, current_pin: own.pin }), 200)

  it.each(requests.slice(5))('[AU-003][AU-029] holds on the very next write elsewhere: %s', async (_name, send) => {
    const other = await elsewhere(own.key)
    expect((await send(other)).status).toBeLessThan(300)
    await set('5678')
    const before = await own.head()
    expectError(await send(other), 'invalid_credentials', null, expect.stringMatching(/\bPIN\b/))
    expect(await own.head()).toBe(before)
    const right = api(system.gateways[1] as string, { 'API-Key': own.key, 'API-Pin': '5678' })
    expect((await send(right)).status).toBeLessThan(300)
  })

  it('[AU-029] is asked for before a stored reply is replayed', async () => {
    const other = await elsewhere(own.key)
    const send = () => other.post('/api/v2/character', { name: 'Once' }, { 'Idempotency-Key': 'new-pin' })
    expectBody(await send(), 201)
    await set('5678')
    expectError(await send(), 'invalid_credentials')
  })

  it('[AU-029] is right at once at a gateway that knows the old one', async () => {
    const other = await elsewhere(own.key)
    expect((await other.post('/api/v2/character', { name: 'x' })).status).toBe(201)
    await set('5678')
    expect((await other.post('/api/v2/character', { name: 'x' }, { 'API-Pin': '5678' })).status).toBe(201)
  })

  it('[AU-015] holds for every world of the account', async () => {
    const second = await createWorld(system, own.token)
    await set('5678')
    for (const key of [own.key, second.key]) {
      const by = api(system.gateways[1] as string, { 'API-Key': key })
      expectError(await by.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': own.pin }), 'invalid_credentials')
      expect((await by.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': '5678' })).status).toBe(201)
    }
  })
})
