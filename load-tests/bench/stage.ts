/** Everything a bench run needs: one PostgreSQL for both sides, the system, and path A beside it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { migrate } from '@worlds/schema/migrate'
import { startConstellation, stopConstellation } from '@worlds/testkit/constellation'
import { addMember, type Member, type MemberRole, setRole } from '@worlds/testkit/members'
import { startPostgres } from '@worlds/testkit/postgres-server'
import { startRedis } from '@worlds/testkit/redis-server'
import type { ServiceProcess } from '@worlds/testkit/service-process'
import { databaseUrl } from '@worlds/testkit/test-servers'
import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import { newWorld, type World } from '@worlds/testkit/world'
import pg from 'pg'
import type { Watched } from './cpu'
import { type Store, startStore } from './store'

export interface Stage {
  readonly gateway: string
  readonly baseline: string
  readonly system: Watched
  readonly pathA: Watched
  readonly database: pg.Client
  readonly store: Store
  readonly bucket: string
  /** Process ids. */
  readonly uploadHost: number
  readonly file: number
  newWorld(): Promise<World>
  addMember(world: World, role: MemberRole): Promise<Member>
  setRole(world: World, membership: string, role: MemberRole): Promise<void>
  stop(): Promise<void>
}

const secret = 'of-a-bench-run-that-guards-nothing-at-all'

export async function buildStage(say: (line: string) => void): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'worlds-bench-'))
  await chmod(dir, 0o711)
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), password: 'postgres', durable: true, say })
  const redis = await startRedis({ dir: join(dir, 'redis'), durable: true, say })
  const owner = new pg.Client({ connectionString: postgres.url })
  await owner.connect()
  await owner.query('create database bench')
  const url = databaseUrl(postgres.url, 'bench')
  const urls = await migrate(url, { element: 'e', membership: 'm', changeFeed: 'c', file: 'f' })
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  await database.query(baselineSchema)

  const processes = new Map<string, ServiceProcess>()
  const unlimited = { REQUEST_BUDGET: '1000000000' }
  const common = { redisUrl: redis.url, redisPrefix: 'bench', serviceToken: secret, peppers: `p1:${secret}` }
  const env = { gateway: unlimited, file: { FILE_TICKETS: '1000000' } }
  const objects = await startStore(dir)
  const ticketKeys = makeTicketKeys()
  const files = {
    s3: objects.access,
    bucket: 'bench',
    ticketKeys,
    linkSecrets: `l1:${secret}`,
    uploadHosts: 1,
  }
  await startConstellation({ ...common, urls, elements: 1, gateways: 1, files, env }, processes)
  const { child, address } = await startBaseline(url)
  const pidOf = (name: string) => processes.get(name)?.pid ?? 0
  const server = { pid: postgres.process.pid ?? 0, withChildren: true }
  const gateway = processes.get('gateway')?.address ?? ''
  const membershipAddress = processes.get('membership')?.address ?? ''
  const reached = { gateway, membershipAddress, serviceToken: secret }
  return {
    gateway,
    baseline: address,
    system: {
      gateway: { pid: pidOf('gateway') },
      element: { pid: pidOf('element') },
      feed: { pid: pidOf('change-feed') },
      membership: { pid: pidOf('membership') },
      file: { pid: pidOf('file') },
      postgres: server,
      redis: { pid: redis.process.pid ?? 0 },
    },
    pathA: { express: { pid: child.pid ?? 0 }, postgres: server },
    database,
    store: objects,
    bucket: files.bucket,
    uploadHost: pidOf('upload-host'),
    file: pidOf('file'),
    newWorld: () => newWorld(reached),
    addMember: (world, role) => addMember(reached, world, role),
    setRole: (world, membership, role) => setRole(reached, world, membership, role),
    async stop() {
      child.kill()
      await stopConstellation(processes)
      await objects.stop()
      await database.end()
      await owner.end()
      await redis.stop()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const baselineSchema = `
  create schema baseline;
  create table baseline.heads (world_id uuid primary key, head bigint not null) with (fillfactor = 50);
  create table baseline.items (
    world_id uuid not null, id uuid not null, type text not null, seq bigint not null, folded_name text not null,
    body text not null, primary key (world_id, id));
  create index items_by_place on baseline.items (world_id, seq);
  create index items_by_type on baseline.items (world_id, type, seq);
  create index items_by_name on baseline.items using gin (folded_name gin_trgm_ops);`

async function startBaseline(url: string): Promise<{ child: ChildProcess; address: string }> {
  const script = join(__dirname, '..', 'baseline', 'server.js')
  const env = { ...process.env, DATABASE_URL: url }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, address: (JSON.parse(line) as { address: string }).address }
  }
  throw new Error('the baseline did not start')
}
