/**
 * `node load-tests/dist/src/system.js FILE`: the whole system for one run of the load tests, until it is told to stop or
 * its standard input closes. Once all is healthy, FILE holds what the k6 scripts need to know as lines of NAME=value.
 * Where toxiproxy is, it stands between the gateway and element, and the gateway and change-feed, so that a script can
 * make either of them slow. Settings of the services are taken from the environment, as `REQUEST_SLOTS=4`; `REPLICAS`
 * says how many processes of each service there are: with more than one, toxiproxy is left out. SIGUSR2 restarts them
 * all in turn, see rolling-restarts.ts.
 */
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { migrate } from '@worlds/schema/migrate'
import { isReplica, startConstellation, stopConstellation } from '@worlds/testkit/constellation'
import { freePort } from '@worlds/testkit/free-port'
import { startPostgres } from '@worlds/testkit/postgres-server'
import { startRedis } from '@worlds/testkit/redis-server'
import type { ServiceName, ServiceProcess } from '@worlds/testkit/service-process'
import { databaseUrl } from '@worlds/testkit/test-servers'
import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import { createAccount } from '@worlds/testkit/world'
import pg from 'pg'
import { startStore } from '../bench/store'
import { restartOnSignal } from './rolling-restarts'
import { startToxiproxy, type Toxiproxy } from './toxiproxy'

type Releases = (() => Promise<unknown>)[]

const secret = 'of-a-load-test-that-guards-nothing-at-all'
const pin = '1234'
const replicas = Number(process.env.REPLICAS || 1)
const say = (line: string) => console.error(line)

async function main(): Promise<void> {
  const [file] = process.argv.slice(2)
  if (file === undefined) throw new Error('name the file to be written')
  const stopped = untilStopped()
  const releases: Releases = []
  try {
    const lines = await start(releases, dirname(file))
    await writeFile(`${file}.new`, `${lines.join('\n')}\n`)
    await rename(`${file}.new`, file)
    await stopped
  } finally {
    for (const release of releases.reverse()) await release().catch(report)
  }
}

/** Commits reach the disk, as in earnest: what a write costs is part of what is measured. */
async function start(releases: Releases, reports: string): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'worlds-load-'))
  await chmod(dir, 0o711)
  releases.push(() => rm(dir, { recursive: true, force: true }))
  const keep = <T extends { stop(): Promise<void> }>(server: T): T => {
    releases.push(() => server.stop())
    return server
  }
  const postgres = keep(
    await startPostgres({ dataDir: join(dir, 'postgres'), password: 'postgres', durable: true, say }),
  )
  const redis = keep(await startRedis({ dir: join(dir, 'redis'), durable: true, say }))
  const store = keep(await startStore(dir))
  // A proxy stands before one process: whoever has several to choose from must see each of them come and go.
  const proxies = replicas > 1 ? null : await startToxiproxy()
  if (proxies !== null) keep(proxies)

  const processes = new Map<string, ServiceProcess>()
  releases.push(() => stopConstellation(processes))
  await startConstellation(
    {
      urls: await migrate(await newDatabase(postgres.url), {
        element: 'e',
        membership: 'm',
        changeFeed: 'c',
        file: 'f',
      }),
      redisUrl: redis.url,
      redisPrefix: 'load',
      serviceToken: secret,
      peppers: `p1:${secret}`,
      elements: replicas,
      gateways: replicas,
      replicas,
      files: {
        s3: store.access,
        bucket: 'load',
        ticketKeys: makeTicketKeys(),
        linkSecrets: `l1:${secret}`,
        uploadHosts: replicas,
      },
      env: await settingsOf(proxies),
      onLine: (name, line) => {
        if (!/"level":"(debug|info)"/.test(line)) say(`${name}: ${line.slice(0, 2_000)}`)
      },
    },
    processes,
  )
  const find = (name: string) => processes.get(name) as ServiceProcess
  const reached = {
    gateway: find('gateway').address,
    membershipAddress: find('membership').address,
    serviceToken: secret,
  }
  const { token } = await createAccount(reached, { pin })
  keep(await restartOnSignal(processes, reports, say))
  const addressesOf = (service: ServiceName) =>
    [...processes].filter(([name]) => isReplica(name, service)).map(([, { address }]) => address)
  return [
    `BASE_URL=${reached.gateway}`,
    `BASE_URLS=${addressesOf('gateway').join(',')}`,
    `UPLOAD_URLS=${addressesOf('upload-host').join(',')}`,
    `ACCOUNT_TOKEN=${token}`,
    `ACCOUNT_PIN=${pin}`,
    `METRICS_URLS=${[...processes].map(([name, { metrics }]) => `${name}=${metrics}`).join(',')}`,
    `TOXIPROXY_URL=${proxies?.url ?? ''}`,
  ]
}

/** No script runs into the limits that guard against one client; calls outlast the time for which a proxy holds them. */
async function settingsOf(proxies: Toxiproxy | null) {
  // As the chart has it, so that a restart ends connections by their replies.
  const draining = { DRAIN_MS: '2000' }
  const gateway = { ...draining, REQUEST_BUDGET: '1000000000', CALL_DEADLINE_MS: '60000' }
  const env: Record<string, Record<string, string>> = {
    gateway,
    file: { ...draining, FILE_TICKETS: '1000000' },
    'upload-host': draining,
  }
  if (proxies === null) return env
  const [element, changeFeed] = [await freePort(), await freePort()]
  const between = {
    ELEMENT_ADDRESSES: await proxies.add('element', element),
    CHANGE_FEED_ADDRESSES: await proxies.add('change-feed', changeFeed),
  }
  return {
    ...env,
    gateway: { ...gateway, ...between },
    element: { PORT: String(element) },
    'change-feed': { PORT: String(changeFeed) },
  }
}

async function newDatabase(serverUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query('create database load').finally(() => client.end())
  return databaseUrl(serverUrl, 'load')
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve())
    process.stdin.on('close', () => resolve()).resume()
  })
}

function report(error: unknown): void {
  console.error(error instanceof Error ? error.message : String(error))
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    report(error)
    process.exit(1)
  },
)
