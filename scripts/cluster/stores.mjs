/**
 * PostgreSQL, Redis and an S3 server on this machine, as the tests have them, and a way to them from pods: they listen on
 * the loopback alone.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startObjectStore } from '@worlds/testkit/object-store'
import { removePostgresData, startPostgres } from '@worlds/testkit/postgres-server'
import { startRedis } from '@worlds/testkit/redis-server'
import { s3rverAccess, versityAccess } from '@worlds/testkit/s3-access'
import { findVersitygw, startVersitygw } from '@worlds/testkit/versitygw'
import pg from 'pg'
import { note } from './report.mjs'
import { settings } from './settings.mjs'

const releases = []
export const postgresPassword = 'cluster-test'

export async function startStores() {
  const dir = await mkdtemp(join(tmpdir(), 'worlds-cluster-'))
  await chmod(dir, 0o711)
  releases.push(() => rm(dir, { recursive: true, force: true }))
  const dataDir = join(dir, 'postgres')
  releases.push(() => removePostgresData(dataDir))
  const postgres = keep(await startPostgres({ dataDir, password: postgresPassword, durable: false, say: note }))
  const redis = keep(await startRedis({ dir: join(dir, 'redis'), durable: false, say: note }))
  const versitygw = findVersitygw()
  const store =
    versitygw === null ? await startObjectStore(join(dir, 's3')) : await startVersitygw(versitygw, join(dir, 's3'))
  const s3 = (versitygw === null ? s3rverAccess : versityAccess)(keep(store).endpoint)
  await sql(postgres.url, 'create database worlds')
  return {
    /** As this machine reaches it. */
    databaseUrl: postgres.url.replace(/\/postgres$/, '/worlds'),
    postgresAt: await reachable(postgres.url),
    redisUrl: `redis://${await reachable(redis.url)}`,
    s3: { ...s3, endpoint: `http://${await reachable(s3.endpoint)}` },
  }
}

export async function sql(url, text) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

export async function stopStores() {
  for (const release of releases.splice(0).reverse()) await release().catch((error) => note(error.message))
}

function keep(server) {
  releases.push(() => server.stop())
  return server
}

/** `host:port` for pods of what listens on the loopback. */
async function reachable(url) {
  const { port } = new URL(url)
  const sockets = new Set()
  const server = createServer((from) => {
    const to = connect(Number(port), '127.0.0.1')
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('close', () => sockets.delete(socket))
    }
    from.on('error', () => to.destroy()).pipe(to)
    to.on('error', () => from.destroy()).pipe(from)
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, settings.listenHost, resolve))
  releases.push(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `${settings.storesHost}:${server.address().port}`
}
