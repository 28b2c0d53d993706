import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createAccount, createWorld, newWorld } from '@worlds/testkit/world'
import { redisProxy } from './tcp-proxy'

describe('Redis away, and back', () => {
  const proxy = redisProxy()
  let system: System
  beforeAll(async () => {
    await proxy.join()
    const REDIS_URL = `redis://127.0.0.1:${proxy.port}`
    system = await startSystem({ env: { gateway: { REDIS_URL }, element: { REDIS_URL }, membership: { REDIS_URL } } })
  })
  afterAll(async () => {
    await system.stop()
    await proxy.cut()
  })

  it('[AU-018][AU-003] reads go on, what needs a PIN is refused, and both work again without a restart', async () => {
    const owner = api(system.gateway, { ...(await newWorld(system)).headers })
    expect((await owner.post('/api/v2/character', { name: 'before' })).status).toBe(201)

    await proxy.cut()
    const reads = await Promise.all(Array.from({ length: 16 }, () => owner.get('/api/v2/character')))
    expect(reads.map(({ status }) => status)).toEqual(Array(16).fill(200))
    const refused = await owner.post('/api/v2/character', { name: 'during' })
    expect([refused.status, refused.body.error.code]).toEqual([503, 'server_busy'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)

    await proxy.join()
    await until(async () => (await owner.post('/api/v2/character', { name: 'after' })).status === 201)
    const { body } = await owner.get('/api/v2/character')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['before', 'after'])
  })

  it('[AU-018][AU-003] a stall of Redis holds up neither reads for long nor loses a write', async () => {
    const owner = api(system.gateway, { ...(await newWorld(system)).headers })
    expect((await owner.post('/api/v2/character', { name: 'before' })).status).toBe(201)
    proxy.stall()
    const reads = Promise.all(Array.from({ length: 8 }, () => owner.get('/api/v2/character')))
    const writes = Promise.all(Array.from({ length: 8 }, () => owner.post('/api/v2/character', { name: 'during' })))
    expect((await reads).map(({ status }) => status)).toEqual(Array(8).fill(200))
    proxy.resume()
    expect((await writes).map(({ status }) => status)).toEqual(Array(8).fill(201))
  })

  it('[ID-001][ID-005][ID-007] receipts alone let a key write once', async () => {
    // An account without a PIN writes without one, so its writes need no Redis.
    const { token } = await createAccount(system)
    const { key } = await createWorld(system, token)
    const owner = api(system.gateway, { 'API-Key': key, 'Idempotency-Key': 'receipts-alone' })
    await proxy.cut()
    const replies = await Promise.all(
      Array.from({ length: 32 }, () => owner.post('/api/v2/character', { name: 'Ann' })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(32).fill(201))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.get('idempotent-replay') === 'true')).toHaveLength(31)
    const other = await owner.post('/api/v2/character', { name: 'Ben' })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_error'])
    const bad = await owner.post('/api/v2/character', { nmae: 'Ben' })
    expect([bad.status, bad.body.error.code]).toEqual([409, 'idempotency_error'])
    expect((await owner.get('/api/v2/character')).body.data).toHaveLength(1)
    await proxy.join()
  })
})
