import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@worlds/schema/migrate'
import pg from 'pg'
import { endLeftovers } from './leftovers'
import { startObjectStore } from './object-store'
import { removePostgresData, startPostgres } from './postgres-server'
import { startRedis } from './redis-server'
import { databaseUrl, type TestServers, testPasswords } from './test-servers'

/**
 * Runs the servers that tests need until its standard input closes or it is told to stop:
 * `node packages/testkit/dist/servers.js`. Prints one JSON line once all are up.
 */
async function main(): Promise<void> {
  const stopped = untilStopped()
  const releases: (() => Promise<unknown>)[] = []
  try {
    const servers = await start(releases)
    process.stdout.write(`${JSON.stringify(servers)}\n`)
    await stopped
  } finally {
    for (const release of releases.reverse()) await release().catch(report)
  }
}

async function start(releases: (() => Promise<unknown>)[]): Promise<TestServers> {
  const dir = await mkdtemp(join(tmpdir(), 'worlds-test-'))
  await chmod(dir, 0o711)
  const dataDir = join(dir, 'postgres')
  releases.push(() => rm(dir, { recursive: true, force: true }))
  const processes = join(dir, 'processes')

  const given = process.env.TEST_DATABASE_URL
  const template = given === undefined ? 'worlds_template' : `worlds_template_${randomBytes(4).toString('hex')}`
  const keep = async <T extends { stop(): Promise<void> }>(server: T): Promise<T> => {
    releases.push(() => server.stop())
    return server
  }
  const database = async () => {
    if (given !== undefined) say('using the PostgreSQL of TEST_DATABASE_URL')
    else releases.push(() => removePostgresData(dataDir))
    const server =
      given ?? (await keep(await startPostgres({ dataDir, password: 'postgres', durable: false, say }))).url
    if (given !== undefined) releases.push(() => onServer(server, `drop database if exists ${template} with (force)`))
    await onServer(server, `create database ${template}`)
    await migrate(databaseUrl(server, template), testPasswords)
    return server
  }
  // Nothing may still be starting when the releases run, so all are awaited before the first failure is thrown.
  const [postgres, redis, s3] = await Promise.allSettled([
    database(),
    startRedis({ dir: join(dir, 'redis'), durable: false, say }).then(keep),
    startObjectStore(join(dir, 's3')).then(keep),
  ])
  releases.push(() => endLeftovers(processes))
  return {
    postgresUrl: valueIn(postgres),
    redisUrl: valueIn(redis).url,
    s3Endpoint: valueIn(s3).endpoint,
    template,
    processes,
  }
}

function valueIn<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve())
    process.stdin.on('close', () => resolve()).resume()
  })
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function report(error: unknown): void {
  say(error instanceof Error ? error.message : String(error))
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    report(error)
    process.exit(1)
  },
)
