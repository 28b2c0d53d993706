import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RedisServer, startRedis } from '@worlds/testkit/redis-server'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'
import { accountApi, expectError } from './hostile-table'
import { expectBody, newOwner, type Owner } from './support'

/** Redis answers reads and refuses writes: then no wrong PIN may go uncounted while a right one passes. */
describe('a Redis that refuses writes', () => {
  let dir: string
  let server: RedisServer
  let admin: Redis
  let system: System
  let own: Owner
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'worlds-redis-'))
    server = await startRedis({ dir, durable: false, say: () => undefined })
    admin = new Redis(server.url)
    system = await startSystem({ redisUrl: server.url })
  })
  afterAll(async () => {
    await system.stop()
    admin.disconnect()
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    own = await newOwner(system)
  })

  const write = (pin: string) => own.post('/api/v2/character', { name: 'Ann' }, { 'API-Pin': pin })
  const refusesWrites = () => until(async () => (await admin.set('probe', 1).catch(() => null)) === null)

  /** A failed save stops writes: the dump cannot take the name of a directory. */
  async function failSave(): Promise<void> {
    await mkdir(join(dir, 'dump.rdb', 'taken'), { recursive: true })
    await admin.config('SET', 'save', '86400 1000000')
    await admin.bgsave()
    await until(async () => /rdb_last_bgsave_status:err/.test(await admin.info('persistence')))
  }

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['it is out of memory', () => admin.config('SET', 'maxmemory', '1'), () => admin.config('SET', 'maxmemory', '0')],
    [
      'it has too few replicas',
      () => admin.config('SET', 'min-replicas-to-write', '1'),
      () => admin.config('SET', 'min-replicas-to-write', '0'),
    ],
    ['it is a replica', () => admin.replicaof('127.0.0.1', 1), () => admin.replicaof('NO', 'ONE')],
    ['its last save failed', failSave, () => admin.config('SET', 'save', '')],
  ])('[AU-023] lets no PIN pass because %s, right or wrong', async (_name, begin, end) => {
    expect((await write(own.pin)).status).toBe(201)
    for (let turn = 0; turn < 4; turn += 1) expectError(await write('4321'), 'invalid_credentials')
    await begin()
    await refusesWrites()
    for (const pin of ['4321', own.pin, '9999', own.pin]) {
      const reply = await write(pin)
      expectError(reply, 'server_busy')
      expect(reply.headers.get('retry-after')).toMatch(/^[0-9]+$/)
    }
    const account = accountApi(system.gateway, own.token)
    expectError(await account.patch('/api/v2/account', { pin: '5678', current_pin: own.pin }), 'server_busy')
    expect((await own.get('/api/v2/character')).body.data).toHaveLength(1)
    await end()
    await until(async () => (await admin.set('probe', 1).catch(() => null)) === 'OK')
    expectError(await write('4321'), 'invalid_credentials')
    expectError(await write(own.pin), 'rate_limited')
    expect(expectBody(await own.get('/api/v2/character'), 200).data).toHaveLength(1)
  })
})
