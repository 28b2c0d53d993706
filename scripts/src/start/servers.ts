import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { ended } from '@worlds/testkit/child-process'
import { noteProcess } from '@worlds/testkit/leftovers'
import { startObjectStore } from '@worlds/testkit/object-store'
import { startPostgres } from '@worlds/testkit/postgres-server'
import { startRedis } from '@worlds/testkit/redis-server'
import { type S3Access, s3rverAccess } from '@worlds/testkit/s3-access'
import { databaseUrl } from '@worlds/testkit/test-servers'
import pg from 'pg'
import { processesOf } from './data-dir'
import type { StartOptions } from './options'
import type { Run } from './run'

export interface Servers {
  /** The owner's, of the database that holds the worlds. */
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly s3: S3Access
}

/** Starts the servers that were not given, each stopped with the run. */
export async function startServers(options: StartOptions, postgresPassword: string, run: Run): Promise<Servers> {
  const keep = <T extends { stop(): Promise<void>; process?: ChildProcess }>(name: string, server: T): T => {
    run.onStop(name, () => server.stop())
    if (server.process !== undefined) run.watch(name, ended(server.process))
    return server
  }
  const database = async () => {
    if (options.databaseUrl !== undefined) return options.databaseUrl
    run.step('starting PostgreSQL 18')
    const dataDir = join(options.dir, 'postgres')
    const server = keep(
      'PostgreSQL',
      await startPostgres({ dataDir, password: postgresPassword, durable: true, say: run.say }),
    )
    return ownDatabase(server.url, 'worlds')
  }
  const redis = async () => {
    if (options.redisUrl !== undefined) return options.redisUrl
    run.step('starting Redis')
    const server = keep('Redis', await startRedis({ dir: join(options.dir, 'redis'), durable: true, say: run.say }))
    noteProcess(processesOf(options.dir), server.process.pid as number, new URL(server.url).port, ended(server.process))
    return server.url
  }
  const objectStore = async () => {
    if (options.s3 !== undefined) return options.s3
    return s3rverAccess(keep('the object store', await startObjectStore(join(options.dir, 's3'))).endpoint)
  }
  const [databaseAt, redisAt, s3At] = await Promise.allSettled([database(), redis(), objectStore()])
  return { databaseUrl: valueIn(databaseAt), redisUrl: valueIn(redisAt), s3: valueIn(s3At) }
}

function valueIn<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function ownDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_catalog.pg_database d where d.datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  return databaseUrl(serverUrl, name)
}
