import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RedisServer, startRedis } from '@worlds/testkit/redis-server'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'
import { expectError } from './hostile-table'
import { newOwner } from './support'

const password = 'a-wrong-password'

describe('logs of every process', () => {
  let dir: string
  let server: RedisServer
  let system: System
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'worlds-logs-'))
    server = await startRedis({ dir, durable: false, say: () => undefined })
    const admin = new Redis(server.url)
    await admin.config('SET', 'requirepass', 'the-right-password')
    admin.disconnect()
    system = await startSystem({ files: true, redisUrl: server.url.replace('redis://', `redis://:${password}@`) })
  })
  afterAll(async () => {
    await system.stop()
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  })

  it.each(['gateway', 'element', 'membership', 'file', 'upload-host'])(
    'say of %s that Redis refuses its password, and do not hold it',
    async (name) => {
      await until(() => system.processes.logs(name).some((line) => line.includes('WRONGPASS')))
      expect(system.processes.logs(name).join('\n')).not.toContain(password)
    },
  )

  it('do not hold it after requests either', async () => {
    const own = await newOwner(system)
    expect((await own.get('/api/v2/world')).status).toBe(200)
    expectError(await own.post('/api/v2/character', { name: 'x' }), 'server_busy')
    for (const name of ['gateway', 'element', 'membership', 'file', 'upload-host']) {
      expect(system.processes.logs(name).join('\n')).not.toContain(password)
    }
  })
})
