import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, api } from '@worlds/testkit/api'
import { setRole } from '@worlds/testkit/members'
import { startReplica } from '@worlds/testkit/postgres-replica'
import { type PostgresServer, startPostgres } from '@worlds/testkit/postgres-server'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { newParty, type Party } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

/** Change-feed reads a real streaming replica, which is paused, stopped and followed all along. */
describe('over a streaming replica', () => {
  const say = () => undefined
  let dir: string
  let primary: PostgresServer
  let replica: PostgresServer
  let standby: pg.Client
  let system: System
  let own: Owner
  let contributor: Party

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'worlds-replica-'))
    await chmod(dir, 0o711)
    const [primaryDir, dataDir] = [join(dir, 'primary'), join(dir, 'replica')]
    primary = await startPostgres({ dataDir: primaryDir, password: 'postgres', durable: false, say })
    replica = await startReplica({ primaryUrl: primary.url, primaryDir, dataDir, say })
    standby = new pg.Client({ connectionString: replica.url })
    await standby.connect()
    system = await startSystem({
      postgresUrl: primary.url,
      replicaUrl: replica.url,
      env: {
        gateway: { REQUEST_BUDGET: '100000' },
        'change-feed': { REPLICA_TIMEOUT_MS: '300', REPLICA_RETRY_MS: '200' },
      },
    })
    own = await newOwner(system)
    contributor = await newParty(system, own, 'contributor')
  })
  afterAll(async () => {
    await system?.stop()
    await standby?.end()
    await replica?.stop()
    await primary?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  const pause = () => standby.query('select pg_wal_replay_pause()')
  const resume = () => standby.query('select pg_wal_replay_resume()')
  const feed = async (by: Api, since = '0', limit = 500): Promise<Body> =>
    expectBody(await by.get(`/api/v2/changes?since=${since}&limit=${limit}`), 200)
  const idsOf = (page: Body): string[] => page.changes.map(({ id }: Body) => id)

  /** How often the replica was asked so far, by outcome. */
  async function reads(outcome: 'used' | 'behind' | 'failed'): Promise<number> {
    const { text } = await api(system.processes.metrics('change-feed')).get('/metrics')
    return Number(new RegExp(`^feed_replica_reads_total{outcome="${outcome}"[^}]*} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  }

  async function untilUsed(by: Api = own): Promise<void> {
    const before = await reads('used')
    await until(async () => {
      await feed(by)
      return (await reads('used')) > before
    })
  }

  it('pages come from the replica once it has caught up', async () => {
    const [id] = await own.seed('character', [{ name: 'One' }, { name: 'Two' }])
    await untilUsed()
    const failed = await reads('failed')
    expect(idsOf(await feed(own))).toContain(id)
    expect(await reads('failed')).toBe(failed)
  })

  it('while it is paused every poll tells of what was written before it', async () => {
    const { head: before, cursor } = await feed(own)
    await pause()
    const behind = await reads('behind')
    const made = []
    for (const name of ['A', 'B', 'C']) {
      made.push((await own.make('location', { name })).id)
      const page = await feed(own, cursor)
      expect([page.head, idsOf(page)]).toEqual([before + made.length, made])
    }
    expect(await reads('behind')).toBe(behind + 3)
    await resume()
    await untilUsed()
    expect(idsOf(await feed(own, cursor))).toEqual(made)
  })

  it('what was hidden while it is paused is not shown again, nor to who has just lost the role to see it', async () => {
    const [first = '', second = ''] = await own.seed('event', [{ name: 'Seen' }, { name: 'Hidden' }])
    await untilUsed(contributor)
    expect(idsOf(await feed(contributor))).toEqual(expect.arrayContaining([first, second]))
    await pause()
    expect((await own.put(`/api/v2/event/${second}/hidden`)).status).toBe(204)
    const shown = (page: Body) => page.changes.filter(({ op }: Body) => op === 'upsert').map(({ id }: Body) => id)
    expect(shown(await feed(contributor))).toContain(first)
    expect(shown(await feed(contributor))).not.toContain(second)
    await setRole(system, own, String(contributor.membership), 'guest')
    expect(shown(await feed(contributor))).toEqual([])
    await resume()
    await untilUsed()
    expect(shown(await feed(contributor))).toEqual([])
  })

  it('a head never falls, nothing is told twice and nothing missed, while it is paused and resumed', async () => {
    const start = await feed(own)
    const made: string[] = []
    const told: string[] = []
    let isOver = false
    const follow = async () => {
      let [{ head, cursor }, last] = [start, false]
      while (!last) {
        last = isOver
        const page = await feed(own, cursor, 3)
        expect(page.head).toBeGreaterThanOrEqual(head)
        told.push(...idsOf(page))
        ;({ head, cursor } = page)
        last &&= !page.has_more
      }
    }
    const write = async () => {
      for (let n = 0; n < 30; n += 1) {
        if (n % 6 === 0) await pause()
        if (n % 6 === 3) await resume()
        made.push(...(await own.seed('object', [{ name: `${n}` }, { name: `${n}, too` }])))
      }
      isOver = true
    }
    const before = { used: await reads('used'), behind: await reads('behind') }
    await Promise.all([write(), follow()])
    await resume()
    expect(told).toEqual(made)
    expect(await reads('behind')).toBeGreaterThan(before.behind)
    await untilUsed()
  })

  it('a replica that hangs costs a poll its time-out once, and is asked again later', async () => {
    const { cursor } = await feed(own)
    const { id } = await own.make('object')
    const failed = await reads('failed')
    replica.process.kill('SIGSTOP')
    // Whoever serves a connection goes on; for a new one there is nobody.
    await standby.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'change-feed'`)
    try {
      expect(idsOf(await feed(own, cursor))).toEqual([id])
      expect(await reads('failed')).toBeGreaterThan(failed)
    } finally {
      replica.process.kill('SIGCONT')
    }
    await untilUsed()
  })
})
