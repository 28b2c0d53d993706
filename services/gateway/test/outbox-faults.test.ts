/** What element has to tell survives whatever comes between the commit and the queue. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { accountApi } from './hostile-table'
import { type WaitingJobs, waitingJobs } from './queue-support'
import { expectBody, newOwner, type Owner } from './support'
import { redisProxy } from './tcp-proxy'

const soon = { OUTBOX_EVERY_MS: '200', OUTBOX_LEASE_MS: '400', PURGE_EVERY_MS: '200' }

let system: System
let database: pg.Client
let queue: WaitingJobs

const start = async (env: Record<string, string>) => {
  system = await startSystem({ env: { element: { ...soon, ...env } } })
  queue = waitingJobs(system, 'element-deleted')
  database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
}
const stop = async () => {
  await queue.close()
  await database.end()
  await system.stop()
}

const waiting = async ({ world }: Owner) => {
  const { rows } = await database.query(
    'select o.id, o.kind from element.outbox o where o.world_id = $1 order by o.created_at',
    [world],
  )
  return rows
}
const told = async ({ world }: Owner) =>
  (await queue.all()).filter(({ data }) => data.worldId === world).map(({ id, name }) => ({ id, kind: name }))
const isPurged = async ({ world }: Owner) => {
  const { rows } = await database.query('select purged_at from element.world_heads where world_id = $1', [world])
  return rows[0].purged_at !== null
}
const deleteWorld = async ({ token, world }: Owner) =>
  expectBody(await accountApi(system.gateway, token).delete(`/api/v2/account/worlds/${world}`), 204)

describe('while Redis is away from element', () => {
  const proxy = redisProxy()
  beforeAll(async () => {
    await proxy.join()
    await start({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
  })
  afterAll(async () => {
    await stop()
    await proxy.cut()
  })

  it('what is to be told waits, outlives its world, and is told once Redis is back', async () => {
    const own = await newOwner(system)
    const { id } = await own.make('zone')
    await proxy.cut()
    expectBody(await own.delete(`/api/v2/zone/${id}`), 204)
    await deleteWorld(own)
    await until(() => isPurged(own))
    const rows = await waiting(own)
    expect(rows.map(({ kind }) => kind)).toEqual(['elements', 'world'])
    expect(await told(own)).toEqual([])

    await proxy.join()
    await until(async () => (await waiting(own)).length === 0)
    const jobs = await told(own)
    expect(new Set(jobs)).toEqual(new Set(rows))
    expect(jobs).toHaveLength(2)
  })

  it('a process that was started without it tells when it comes', async () => {
    const own = await newOwner(system)
    const { id } = await own.make('zone')
    await proxy.cut()
    await system.processes.restart('element')
    await until(async () => (await own.delete(`/api/v2/zone/${id}`)).status === 204)
    expect(await waiting(own)).toHaveLength(1)
    await proxy.join()
    await until(async () => (await waiting(own)).length === 0)
    expect(await told(own)).toHaveLength(1)
  })
})

describe('an element process that dies', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fuse-'))
  const fuse = (name: string) => join(dir, name)
  beforeAll(() => {
    const FAILPOINTS = ['outbox.claimed', 'outbox.told'].map((name) => `${name}=exit@${fuse(name)}`).join()
    return start({ FAILPOINTS })
  })
  afterAll(async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const dieAt = async (own: Owner, name: string) => {
    const { id } = await own.make('zone')
    writeFileSync(fuse(name), '')
    const cut = own.delete(`/api/v2/zone/${id}`)
    await until(() => !existsSync(fuse(name)))
    const [row] = await waiting(own)
    return { row, cut }
  }

  it('before it told has it told by the next', async () => {
    const own = await newOwner(system)
    const { row, cut } = await dieAt(own, 'outbox.claimed')
    expect(await told(own)).toEqual([])
    await system.processes.restart('element')
    await cut
    await until(async () => (await waiting(own)).length === 0)
    expect(await told(own)).toEqual([row])
  })

  it('after it told leaves one job, however often it is told', async () => {
    const own = await newOwner(system)
    const { row, cut } = await dieAt(own, 'outbox.told')
    expect(await told(own)).toEqual([row])
    await system.processes.restart('element')
    await cut
    await until(async () => (await waiting(own)).length === 0)
    expect(await told(own)).toEqual([row])
  })

  it('after it told has it told again to a consumer that was quick', async () => {
    const own = await newOwner(system)
    const { row, cut } = await dieAt(own, 'outbox.told')
    await queue.take(row.id)
    await system.processes.restart('element')
    await cut
    await until(async () => (await waiting(own)).length === 0)
    expect(await told(own)).toEqual([row])
  })
})
