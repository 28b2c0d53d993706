import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@worlds/runtime/log'
import { createDatabase } from '@worlds/runtime/postgres'
import { createRedis, openRedis } from '@worlds/runtime/redis'
import { type RedisServer, startRedis } from '@worlds/testkit/redis-server'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'

const lines: string[] = []
const log = createLog('test', 'info', { write: (line) => lines.push(line) })

beforeEach(() => {
  lines.length = 0
})

describe('log lines about Redis', () => {
  let dir: string
  let server: RedisServer
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'worlds-log-'))
    server = await startRedis({ dir, durable: false, say: () => undefined })
    const admin = openRedis(server.url, {})
    await admin.config('SET', 'requirepass', 'the-right-password')
    admin.disconnect()
  })
  afterAll(async () => {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  })

  it('do not hold a wrong password', async () => {
    const redis = createRedis(server.url.replace('redis://', 'redis://:a-wrong-password@'), 'test', log)
    await until(async () => lines.length > 0)
    redis.disconnect()
    expect(lines.join('')).toMatch(/WRONGPASS/)
    expect(lines.join('')).not.toContain('a-wrong-password')
  })

  it('name a failed command without its arguments', async () => {
    const redis = openRedis(server.url.replace('redis://', 'redis://:the-right-password@'), {})
    const failures = await Promise.all([
      redis.lpush('a-key', 'value').then(() => redis.incr('a-key').catch((error: unknown) => error)),
      redis.call('NOSUCH', 'a-secret-argument').catch((error: unknown) => error),
    ])
    redis.disconnect()
    for (const err of failures) log.error({ err }, 'a command failed')
    const [wrongType, unknown] = lines.map((line) => JSON.parse(line).err)
    expect(wrongType).toMatchObject({
      type: 'SimpleError',
      command: 'incr',
      message: expect.stringMatching(/WRONGTYPE/),
    })
    expect(unknown).toMatchObject({ message: expect.stringMatching(/unknown command/) })
    expect(lines.join('')).not.toMatch(/a-key|a-secret-argument/)
  })
})

describe('log lines about PostgreSQL', () => {
  it('keep code and constraint, and no value of the row', async () => {
    const url = testServers().postgresUrl
    const db = createDatabase({ url, applicationName: 'test', poolSize: 1, statementTimeoutMs: 10_000 }, log)
    const err = await db
      .transaction(async (tx) => {
        const table = 'create temporary table t (v text constraint t_key unique) on commit drop'
        await tx.rows({ text: table }, [])
        const insert = { text: 'insert into t (v) values ($1::text)' }
        await tx.rows(insert, ['a-private-value'])
        await tx.rows(insert, ['a-private-value'])
      })
      .catch((error: unknown) => error)
    await db.close()
    log.error({ err }, 'a statement failed')
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ code: '23505', constraint: 't_key', table: 't' })
    expect(lines.join('')).not.toContain('a-private-value')
  })
})

describe('log lines about errors', () => {
  it('hold the causes, as far as five deep', () => {
    const cause = Object.assign(new Error('the reason'), {
      code: 'ECONNREFUSED',
      command: { name: 'auth', args: ['s'] },
    })
    log.warn({ err: new AggregateError([cause], 'all failed', { cause }) }, 'failed')
    const { err } = JSON.parse(lines[0] ?? '')
    expect(err.cause).toMatchObject({ message: 'the reason', code: 'ECONNREFUSED', command: 'auth' })
    expect(err.errors).toHaveLength(1)
    expect(lines.join('')).not.toContain('args')
  })

  it('say so when what was thrown is no error', () => {
    log.warn({ err: 'a-secret' }, 'failed')
    expect(JSON.parse(lines[0] ?? '').err).toBe('not an error: string')
  })
})
