import { randomBytes } from 'node:crypto'
import { forgetKeys } from '@worlds/runtime/forget-keys'
import { roleUrls } from '@worlds/schema/roles'
import { Redis } from 'ioredis'
import pg from 'pg'
import {
  type Constellation,
  type FilesOptions,
  isReplica,
  startConstellation,
  stopConstellation,
} from './constellation'
import { noteProcess } from './leftovers'
import { runOps } from './ops'
import { s3rverAccess } from './s3-access'
import type { ServiceProcess } from './service-process'
import { databaseUrl, type TestServers, testPasswords, testServers } from './test-servers'
import { makeTicketKeys, type TicketKeys } from './ticket-keys'

export interface SystemOptions {
  /** Processes of every service of which nothing else is said. */
  readonly replicas?: number
  readonly elements?: number
  readonly gateways?: number
  /** Each gateway calls one element process alone, in turn: so several write one world. */
  readonly pinGateways?: boolean
  /** File and upload host run too. */
  readonly files?: boolean
  readonly uploadHosts?: number
  /** Used instead of the test servers' own. */
  readonly redisUrl?: string
  /** The superuser's, of a server used instead of the test servers' own. */
  readonly postgresUrl?: string
  /** The superuser's, of a replica of that server, which change-feed may read. */
  readonly replicaUrl?: string
  /** Stands between the services and the object store. */
  readonly s3Endpoint?: string
  /** Per service (`element`), or per process (`element-2`). */
  readonly env?: Record<string, Record<string, string> | undefined>
}

/** The whole system over a database, a Redis prefix and a bucket of its own. */
export interface System {
  /** Base URL of the first gateway, as `http://127.0.0.1:8080`. */
  readonly gateway: string
  readonly gateways: readonly string[]
  /** The superuser's. */
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly s3Endpoint: string
  readonly bucket: string
  readonly elementAddresses: readonly string[]
  readonly membershipAddress: string
  readonly changeFeedAddress: string
  /** '' in a system without files. */
  readonly fileAddress: string
  /** Where tickets are used, as tickets tell it: of the first upload host, `…/v1/upload`. */
  readonly uploadUrl: string
  readonly uploadUrls: readonly string[]
  /** Base URL of the download host. */
  readonly filesUrl: string
  readonly ticketKeys: TicketKeys
  readonly serviceToken: string
  readonly peppers: string
  readonly processes: Processes
  stop(): Promise<void>
}

/** By name: `element`, `element-2`, `membership`, `change-feed`, `gateway`, `gateway-2`. */
export interface Processes {
  pid(name: string): number
  /** Base URL of its probes and metrics. */
  metrics(name: string): string
  /** Lines printed so far, over all its lives. */
  logs(name: string): readonly string[]
  exitCode(name: string): number | null
  /** Waits for the end, unless the signal is SIGSTOP or SIGCONT. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>
  /** Ends it if it still runs and starts it again on the same ports, with what is given of its environment. */
  restart(name: string, env?: Record<string, string>): Promise<void>
}

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const servers = testServers()
  const { replicas = 1 } = options
  const id = randomBytes(6).toString('hex')
  const database = `worlds_test_${id}`
  const serverUrl = options.postgresUrl ?? servers.postgresUrl
  const url = databaseUrl(serverUrl, database)
  const shared = {
    redisUrl: options.redisUrl ?? servers.redisUrl,
    redisPrefix: `test-${id}`,
    serviceToken: randomBytes(16).toString('hex'),
    peppers: `p1:${randomBytes(32).toString('hex')}`,
  }
  if (options.postgresUrl === undefined) {
    await onServer(serverUrl, `create database ${database} template ${servers.template}`)
  } else {
    await onServer(serverUrl, `create database ${database}`)
    await migrateAsOperator(url)
  }
  const running = new Map<string, ServiceProcess>()
  const ticketKeys = makeTicketKeys()
  const stop = async () => {
    await stopConstellation(running)
    await onServer(serverUrl, `drop database if exists ${database} with (force)`)
    if (options.redisUrl === undefined) await forget(servers.redisUrl, shared.redisPrefix)
  }
  try {
    await startConstellation(
      {
        ...shared,
        urls: roleUrls(url, testPasswords),
        elements: options.elements ?? replicas,
        gateways: options.gateways ?? replicas,
        replicas,
        files: options.files === true ? filesOf(options, servers, id, ticketKeys) : null,
        pinGateways: options.pinGateways ?? false,
        env: withReplica(options, database),
        // Should this run be killed, the test servers end its processes.
        spawned: (process) => noteProcess(servers.processes, process.pid, '/dist/main.js', process.ended()),
      },
      running,
    )
  } catch (error) {
    await stop()
    throw error
  }
  const addresses = (service: 'gateway' | 'element' | 'upload-host') =>
    [...running].filter(([name]) => isReplica(name, service)).map(([, { address }]) => address)
  const uploadUrls = addresses('upload-host').map((address) => `${address}/v1/upload`)
  return {
    ...shared,
    gateway: find(running, 'gateway').address,
    gateways: addresses('gateway'),
    databaseUrl: url,
    s3Endpoint: servers.s3Endpoint,
    bucket: `test-${id}`,
    elementAddresses: addresses('element'),
    membershipAddress: find(running, 'membership').address,
    changeFeedAddress: find(running, 'change-feed').address,
    fileAddress: running.get('file')?.address ?? '',
    uploadUrl: uploadUrls[0] ?? '',
    uploadUrls,
    filesUrl: running.get('file')?.downloads ?? '',
    ticketKeys,
    processes: handlesOf(running),
    stop,
  }
}

function filesOf(options: SystemOptions, servers: TestServers, id: string, ticketKeys: TicketKeys): FilesOptions {
  return {
    s3: s3rverAccess(options.s3Endpoint ?? servers.s3Endpoint),
    bucket: `test-${id}`,
    ticketKeys,
    linkSecrets: `l1:${randomBytes(32).toString('hex')}`,
    uploadHosts: options.uploadHosts ?? options.replicas ?? 1,
  }
}

function handlesOf(running: Constellation): Processes {
  return {
    pid: (name) => find(running, name).pid,
    metrics: (name) => find(running, name).metrics,
    logs: (name) => find(running, name).lines,
    exitCode: (name) => find(running, name).exitCode,
    kill: (name, signal) => find(running, name).kill(signal),
    restart: (name, env) => find(running, name).restart(env),
  }
}

function find(running: Constellation, name: string): ServiceProcess {
  const process = running.get(name)
  if (process === undefined) throw new Error(`no process is named ${name}: ${[...running.keys()].join(', ')}`)
  return process
}

/** As an operator would: the migrations' library cannot be loaded into a test. */
async function migrateAsOperator(url: string): Promise<void> {
  const { element, membership, changeFeed, file } = testPasswords
  await runOps(['migrate'], {
    DATABASE_URL: url,
    ELEMENT_DB_PASSWORD: element,
    MEMBERSHIP_DB_PASSWORD: membership,
    CHANGE_FEED_DB_PASSWORD: changeFeed,
    FILE_DB_PASSWORD: file,
  })
}

/** The replica's URL is known with the database's name alone. */
function withReplica({ env = {}, replicaUrl }: SystemOptions, database: string): NonNullable<SystemOptions['env']> {
  if (replicaUrl === undefined) return env
  const { changeFeed } = roleUrls(databaseUrl(replicaUrl, database), testPasswords)
  return { ...env, 'change-feed': { DATABASE_REPLICA_URL: changeFeed, ...env['change-feed'] } }
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

async function forget(redisUrl: string, prefix: string): Promise<void> {
  const redis = new Redis(redisUrl)
  await forgetKeys(redis, `${prefix}:`)
  await redis.quit()
}
