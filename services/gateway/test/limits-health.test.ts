import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { expectError } from './hostile-table'
import { newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { CALL_DEADLINE_MS: '3000' } } })
  own = await newOwner(system)
})
afterAll(() => system.stop())

const health = () => api(system.gateway).get('/api/v2/health')
const healthy = { status: 'ok', service: 'world-data-service' }

async function expectSick(): Promise<void> {
  await until(async () => (await health()).status === 503)
  const reply = await health()
  expectError(reply, 'server_busy')
  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

async function expectWell(): Promise<void> {
  await until(async () => (await health()).status === 200)
  expect((await health()).body).toEqual(healthy)
  await until(async () => (await own.get('/api/v2/character')).status === 200)
  await until(async () => (await own.post('/api/v2/character', { name: 'x' })).status === 201)
}

/** How often element has read versions, which is what a probe does. */
async function lookUps(): Promise<number> {
  const { text } = await api(system.processes.metrics('element')).get('/metrics')
  const line = /^rpc_server_duration_seconds_count\{.*GetAuthVersions.*\} (\d+)$/m.exec(text)
  return Number(line?.[1] ?? 0)
}

/** Lets nobody into the system's database, or everybody again. */
async function allow(connections: boolean): Promise<void> {
  const url = new URL(system.databaseUrl)
  const database = url.pathname.slice(1)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`alter database ${database} allow_connections ${connections}`)
  if (!connections) {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
  }
  await client.end()
}

describe('health', () => {
  it('is told without a key', async () => {
    const reply = await health()
    expect([reply.status, reply.body]).toEqual([200, healthy])
    expect((await api(system.gateway, { 'API-Key': 'ow_w_unknown' }).get('/api/v2/health/')).body).toEqual(healthy)
  })

  it('costs one look-up a second, however many ask', async () => {
    await health()
    const before = await lookUps()
    expect(before).toBeGreaterThan(0)
    const began = performance.now()
    const replies = await Promise.all(Array.from({ length: 300 }, health))
    const seconds = (performance.now() - began) / 1000
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await lookUps()) - before).toBeLessThanOrEqual(1 + Math.floor(seconds))
  })

  it('[ER-001] is 503 in the envelope while element is away, and 200 when it is back', async () => {
    await system.processes.kill('element')
    await expectSick()
    await system.processes.restart('element')
    await expectWell()
  })

  it('[ER-001] is 503 in the envelope while the database is away, and 200 when it is back', async () => {
    await allow(false)
    try {
      await expectSick()
    } finally {
      await allow(true)
    }
    await expectWell()
  })
})

describe('the probes', () => {
  it.each(['gateway', 'element', 'membership', 'change-feed'])('of %s answer on a port of their own', async (name) => {
    const probes = api(system.processes.metrics(name))
    for (const path of ['/livez', '/readyz']) expect((await probes.get(path)).status).toBe(200)
    const metrics = await probes.get('/metrics')
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)])
    expect(metrics.text).toMatch(/^process_resident_memory_bytes(\{.*\})? \d/m)
    expect((await probes.get('/api/v2/health')).status).toBe(404)
  })

  it('[ER-009] are no routes of the public host', async () => {
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expectError(await api(system.gateway).get(path), 'not_found')
    }
  })

  it.each([
    ['element', 'element'],
    ['change-feed', 'element'],
    ['membership', 'membership'],
  ])('say that %s lives but is not ready before its schema is as far as it needs', async (name, schema) => {
    const probes = api(system.processes.metrics(name))
    const client = new pg.Client({ connectionString: system.databaseUrl })
    await client.connect()
    try {
      await client.query(`alter table ${schema}.migrations rename to to_come`)
      expect((await probes.get('/readyz')).status).toBe(503)
      expect((await probes.get('/livez')).status).toBe(200)
      await client.query(`alter table ${schema}.to_come rename to migrations`)
      expect((await probes.get('/readyz')).status).toBe(200)

      const last = `select max(name) from ${schema}.migrations`
      const { rows } = await client.query(
        `delete from ${schema}.migrations where name = (${last}) returning name, run_on`,
      )
      expect((await probes.get('/readyz')).status).toBe(503)
      const { name: ran, run_on } = rows[0]
      await client.query(`insert into ${schema}.migrations (name, run_on) values ($1, $2)`, [ran, run_on])
      expect((await probes.get('/readyz')).status).toBe(200)
    } finally {
      await client.end()
    }
  })

  it('say that the gateway lives but is not ready while element is away', async () => {
    const probes = api(system.processes.metrics('gateway'))
    await system.processes.kill('element')
    await until(async () => (await probes.get('/readyz')).status === 503)
    expect((await probes.get('/livez')).status).toBe(200)
    await system.processes.restart('element')
    await until(async () => (await probes.get('/readyz')).status === 200)
  })
})
