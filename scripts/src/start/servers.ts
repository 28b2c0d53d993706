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
import type { Supervisor } from './supervisor'

export interface Servers {
  /** The owner's, of the database that holds the worlds. */
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly s3: S3Access
}

interface Server {
  readonly url: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts the servers that were not given, each supervised, and stopped with the run. */
export async function startServers(
  options: StartOptions,
  postgresPassword: string,
  run: Run,
  supervisor: Supervisor,
): Promise<Servers> {
  const keep = async (name: string, start: (port?: number) => Promise<Server>): Promise<string> => {
    let server = await start()
    run.onStop(name, () => server.stop())
    const port = Number(new URL(server.url).port)
    const again = async () => {
      server = await start(port)
    }
    supervisor.watch(name, { ended: () => ended(server.process), start: again })
    return server.url
  }
  const { say } = run
  const database = async () => {
    if (options.databaseUrl !== undefined) return options.databaseUrl
    run.step('starting PostgreSQL 18')
    const settings = { dataDir: join(options.dir, 'postgres'), password: postgresPassword, durable: true, say }
    return ownDatabase(await keep('PostgreSQL', (port) => startPostgres({ ...settings, port })), 'worlds')
  }
  const redis = async () => {
    if (options.redisUrl !== undefined) return options.redisUrl
    run.step('starting Redis')
    return keep('Redis', async (port) => {
      const server = await startRedis({ dir: join(options.dir, 'redis'), durable: true, say, port })
      const { pid } = server.process
      noteProcess(processesOf(options.dir), pid as number, new URL(server.url).port, ended(server.process))
      return server
    })
  }
  const objectStore = async () => {
    if (options.s3 !== undefined) return options.s3
    const server = await startObjectStore(join(options.dir, 's3'))
    run.onStop('the object store', () => server.stop())
    return s3rverAccess(server.endpoint)
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
