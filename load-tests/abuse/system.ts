/** The system that is abused: every service with the heap that it has under the chart's memory limit. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@worlds/schema/migrate'
import { startConstellation, stopConstellation } from '@worlds/testkit/constellation'
import { startPostgres } from '@worlds/testkit/postgres-server'
import { startRedis } from '@worlds/testkit/redis-server'
import type { ServiceProcess } from '@worlds/testkit/service-process'
import { databaseUrl } from '@worlds/testkit/test-servers'
import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import { newWorld, type World } from '@worlds/testkit/world'
import pg from 'pg'
import { startStore } from '../bench/store'

/** MiB that the chart lets a pod take, and of them the heap that Node.js takes by itself. */
export const memoryLimitMib = 512
const heapMib = 256

export const services = ['gateway', 'element', 'change-feed', 'membership', 'file', 'upload-host'] as const

export interface AbusedSystem {
  readonly gateway: string
  readonly processes: ReadonlyMap<string, ServiceProcess>
  newWorld(): Promise<World>
  stop(): Promise<void>
}

const secret = 'of-an-abused-system-that-guards-nothing'

export async function startAbused(say: (line: string) => void): Promise<AbusedSystem> {
  const dir = await mkdtemp(join(tmpdir(), 'worlds-abuse-'))
  await chmod(dir, 0o711)
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres'), password: 'postgres', durable: false, say })
  const redis = await startRedis({ dir: join(dir, 'redis'), durable: false, say })
  const store = await startStore(dir)
  const owner = new pg.Client({ connectionString: postgres.url })
  await owner.connect()
  await owner.query('create database abuse')
  await owner.end()
  const urls = await migrate(databaseUrl(postgres.url, 'abuse'), {
    element: 'e',
    membership: 'm',
    changeFeed: 'c',
    file: 'f',
  })
  const heap = { NODE_OPTIONS: `--max-old-space-size=${heapMib}` }
  // What a key may ask in a minute would hide what a single request does.
  const gateway = { ...heap, REQUEST_BUDGET: '1000000000', UNKNOWN_CREDENTIALS_PER_MINUTE: '1000000000' }
  const env = { ...Object.fromEntries(services.map((service) => [service, heap])), gateway }
  const processes = new Map<string, ServiceProcess>()
  const files = {
    s3: store.access,
    bucket: 'abuse',
    ticketKeys: makeTicketKeys(),
    linkSecrets: `l1:${secret}`,
    uploadHosts: 1,
  }
  const common = { redisUrl: redis.url, redisPrefix: 'abuse', serviceToken: secret, peppers: `p1:${secret}` }
  await startConstellation({ ...common, urls, elements: 1, gateways: 1, files, env }, processes)
  const reached = {
    gateway: processes.get('gateway')?.address ?? '',
    membershipAddress: processes.get('membership')?.address ?? '',
    serviceToken: secret,
  }
  return {
    gateway: reached.gateway,
    processes,
    newWorld: () => newWorld(reached),
    async stop() {
      await stopConstellation(processes)
      await store.stop()
      await redis.stop()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
