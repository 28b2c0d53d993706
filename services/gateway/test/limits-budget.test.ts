import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createAccount, createWorld } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { importLegacyKey } from './legacy-keys'
import { type Body, expectBody, newOwner, newReader, type Owner } from './support'

let system: System
let own: Owner

describe('the request budget of a key', () => {
  const windowS = 3
  beforeAll(async () => {
    const env = { REQUEST_BUDGET: '8', REQUEST_BUDGET_WINDOW_S: String(windowS) }
    system = await startSystem({ gateways: 2, env: { gateway: env } })
  })
  afterAll(() => system.stop())
  beforeEach(async () => {
    own = await newOwner(system)
  })

  const spend = async (by: Api, count: number) => {
    for (let turn = 0; turn < count; turn += 1) expect((await by.get('/api/v2/me')).status).toBe(200)
  }
  const facts = ({ headers }: Body) => ['limit', 'remaining'].map((name) => headers.get(`ratelimit-${name}`))

  it('[LM-007] is told with every answer', async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const reply = await own.get('/api/v2/me')
      expect([reply.status, ...facts(reply)]).toEqual([200, '8', String(7 - turn)])
      expect(reply.headers.get('ratelimit-reset')).toMatch(/^[1-3]$/)
    }
  })

  it('[LM-007] is told with refusals too', async () => {
    expect(facts(await own.get('/api/v2/character/nope'))).toEqual(['8', '7'])
    expect(facts(await own.post('/api/v2/character', { name: 'x' }, { 'API-Pin': '' }))).toEqual(['8', '6'])
    expect(facts(await own.post('/api/v2/character', '{'))).toEqual(['8', '5'])
    expect(facts(await own.get('/api/v2/world', { 'If-None-Match': '*' }))).toEqual(['8', '4'])
    expect(facts(await (await newReader(system, own)).post('/api/v2/character', {}))).toEqual(['8', '7'])
  })

  it('[LM-006][LM-007] answers 429 too_many_requests once spent, and works again in the next window', async () => {
    await spend(own, 8)
    const reply = await own.get('/api/v2/me')
    expectError(reply, 'too_many_requests')
    expect(reply.headers.get('retry-after')).toMatch(/^[1-3]$/)
    expect(facts(reply)).toEqual(['8', '0'])
    const started = Date.now()
    await until(async () => (await own.get('/api/v2/me')).status === 200)
    expect(Date.now() - started).toBeLessThan((windowS + 1) * 1_000)
  })

  it('[LM-006] is one for every route and every gateway', async () => {
    const second = api(system.gateways[1] as string, own.headers)
    await spend(own, 4)
    await spend(second, 4)
    const before = [
      own.get('/api/v2/world'),
      second.get('/api/v2/members'),
      own.get('/api/v2/character'),
      second.get('/api/v2/changes'),
      own.post('/api/v2/character', { name: 'x' }),
      second.delete('/api/v2/character/nope'),
      own.post('/api/v2/bulk', { items: [] }),
      second.patch('/api/v2/world', { name: 'x' }),
    ]
    for (const reply of await Promise.all(before)) expectError(reply, 'too_many_requests')
  })

  it('[LM-006] is told before scope and PIN, and counts no guess', async () => {
    const reader = await newReader(system, own)
    await spend(reader, 8)
    expectError(await reader.post('/api/v2/character', { name: 'x' }), 'too_many_requests')
    await spend(own, 8)
    const guesses = Array.from({ length: 3 }, () => own.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': '4321' }))
    for (const reply of await Promise.all(guesses)) expectError(reply, 'too_many_requests')
  })

  it('[LM-006] is its own for each key', async () => {
    const reader = await newReader(system, own)
    await spend(own, 8)
    expectError(await own.get('/api/v2/me'), 'too_many_requests')
    await spend(reader, 8)
  })

  it('[LM-006] is one for the routes of an account token, and its own for each token', async () => {
    const { token } = await createAccount(system)
    const account = accountApi(system.gateway, token)
    const { token: second } = expectBody(await account.post('/api/v2/account/tokens'), 201)
    await createWorld(system, token)
    for (let turn = 0; turn < 6; turn += 1) {
      const reply = await account.get('/api/v2/account')
      expect([reply.status, ...facts(reply)]).toEqual([200, '8', String(5 - turn)])
    }
    const reply = await account.get('/api/v2/account/worlds')
    expectError(reply, 'too_many_requests')
    expect(reply.headers.get('retry-after')).toMatch(/^[1-3]$/)
    expect((await accountApi(system.gateway, second).get('/api/v2/account')).status).toBe(200)
  })

  it('[LM-007] is not asked of those without a credential', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const reply = await api(system.gateway).get('/api/v2/health')
      expect([reply.status, ...facts(reply)]).toEqual([200, null, null])
      expectError(await api(system.gateway).get('/api/v2/world'), 'invalid_credentials')
    }
  })
})

describe('unknown credentials', () => {
  let address = 0
  beforeAll(async () => {
    const env = { UNKNOWN_CREDENTIALS_PER_MINUTE: '4', TRUST_PROXY: '1' }
    system = await startSystem({ gateways: 2, env: { gateway: env } })
    own = await newOwner(system)
  })
  afterAll(() => system.stop())
  beforeEach(() => {
    address += 1
  })

  const from = (headers: Record<string, string>, ip = `192.0.2.${address}`, gateway = system.gateway) =>
    api(gateway, { 'X-Forwarded-For': ip, ...headers }).get('/api/v2/world')
  const guess = (turn: number) => ({ 'API-Key': `ow_w_unknown-${turn}` })
  const spendAll = async () => {
    for (let turn = 0; turn < 4; turn += 1) expectError(await from(guess(turn)), 'invalid_credentials')
  }

  it('[LM-006] are 429 from the fifth of an address on, with the seconds to wait', async () => {
    await spendAll()
    const reply = await from(guess(5))
    expectError(reply, 'too_many_requests')
    const seconds = Number(reply.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  it('[LM-006] of one address throttle no other', async () => {
    await spendAll()
    expectError(await from(guess(9), `198.51.100.${address}`), 'invalid_credentials')
  })

  it('[LM-006] leave a live key of the same address alone', async () => {
    await spendAll()
    expectError(await from(guess(5)), 'too_many_requests')
    expect((await from({ 'API-Key': own.key })).status).toBe(200)
  })

  it('[LM-006] are counted over gateways', async () => {
    await spendAll()
    expectError(await from(guess(5), undefined, system.gateways[1] as string), 'too_many_requests')
  })

  it('[LM-006] keep ten-digit keys from being looked up, but not one that was live before', async () => {
    const known = await importLegacyKey(system, own.world)
    const fresh = await importLegacyKey(system, own.world)
    const pin = { 'API-Pin': own.pin }
    expect((await from({ 'API-Key': known, ...pin })).status).toBe(200)
    await spendAll()
    const reply = await from({ 'API-Key': fresh, ...pin })
    expectError(reply, 'too_many_requests')
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await from({ 'API-Key': known, ...pin })).status).toBe(200)
    expect((await from({ 'API-Key': fresh, ...pin }, `198.51.100.${address}`)).status).toBe(200)
    expect((await from({ 'API-Key': fresh, ...pin })).status).toBe(200)
  })

  it('[LM-006] are keys, legacy ones and tokens alike', async () => {
    expectError(await from({ 'API-Key': '9876543210' }), 'invalid_credentials')
    expectError(await from(guess(1)), 'invalid_credentials')
    const forwarded = { 'X-Forwarded-For': `192.0.2.${address}`, Authorization: 'Bearer ow_a_unknown' }
    const account = api(system.gateway, forwarded)
    for (let turn = 0; turn < 2; turn += 1) expectError(await account.get('/api/v2/account'), 'invalid_credentials')
    expectError(await account.get('/api/v2/account'), 'too_many_requests')
    expectError(await from(guess(2)), 'too_many_requests')
  })

  it('[LM-006] are not those that were not sent, nor a live key without its PIN, nor a revoked one', async () => {
    const account = accountApi(system.gateway, own.token)
    const keys = `/api/v2/account/worlds/${own.world}/keys`
    const { id, key } = expectBody(await account.post(keys), 201)
    expect((await account.delete(`${keys}/${id}`)).status).toBe(204)
    const forwarded = { 'X-Forwarded-For': `192.0.2.${address}` }
    for (let turn = 0; turn < 8; turn += 1) {
      expectError(await from({}), 'invalid_credentials')
      expectError(await from({ 'API-Key': key }), 'key_revoked')
      const pinless = api(system.gateway, { ...forwarded, 'API-Key': own.key })
      expectError(await pinless.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials')
    }
    await spendAll()
  })

  it('[LM-006] believe the nearest proxy alone about the address', async () => {
    const near = `192.0.2.${address}`
    for (let turn = 0; turn < 4; turn += 1) {
      expectError(await from(guess(turn), `203.0.113.${turn}, ${near}`), 'invalid_credentials')
    }
    expectError(await from(guess(5), `203.0.113.99, ${near}`), 'too_many_requests')
  })
})

describe('unknown ten-digit keys of many addresses', () => {
  beforeAll(async () => {
    const env = { UNKNOWN_TEN_DIGIT_KEYS_PER_MINUTE: '6', TRUST_PROXY: '1' }
    system = await startSystem({ gateways: 2, env: { gateway: env } })
    own = await newOwner(system)
  })
  afterAll(() => system.stop())

  it('[LM-006] are 429 over all gateways beyond the common limit, and leave live keys alone', async () => {
    const from = (key: string, address: string, gateway: string) =>
      api(gateway, { 'API-Key': key, 'API-Pin': own.pin, 'X-Forwarded-For': address }).get('/api/v2/world')
    const [first, second] = system.gateways as [string, string]
    const [known, fresh] = [await importLegacyKey(system, own.world), await importLegacyKey(system, own.world)]
    expect((await from(known, '192.0.2.1', first)).status).toBe(200)
    for (let turn = 0; turn < 6; turn += 1) {
      const gateway = turn % 2 === 0 ? first : second
      expectError(await from(`900000000${turn}`, `198.51.100.${turn}`, gateway), 'invalid_credentials')
    }
    for (const gateway of [first, second]) {
      expectError(await from('9000000009', '203.0.113.1', gateway), 'too_many_requests')
      expectError(await from(fresh, '203.0.113.2', gateway), 'too_many_requests')
      expectError(await from('ow_w_unknown', '203.0.113.1', gateway), 'invalid_credentials')
      expect((await from(own.key, '203.0.113.1', gateway)).status).toBe(200)
    }
    expect((await from(known, '203.0.113.3', first)).status).toBe(200)
  })
})
