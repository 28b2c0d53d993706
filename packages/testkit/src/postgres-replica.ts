import { execFile } from 'node:child_process'
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Say } from './embedded-binaries'
import { type PostgresServer, startPostgres } from './postgres-server'

export interface ReplicaOptions {
  /** The superuser's URL of the server that is followed. */
  readonly primaryUrl: string
  /** Of the server that is followed; nothing writes there yet. */
  readonly primaryDir: string
  readonly dataDir: string
  readonly say: Say
}

/** A streaming replica of a server that has just been made: a base backup, and from then on its log. */
export async function startReplica(options: ReplicaOptions): Promise<PostgresServer> {
  const { primaryUrl, dataDir, say } = options
  await backUp(options)
  const { hostname, port, password } = new URL(primaryUrl)
  const followed = `host=${hostname} port=${port} user=postgres password=${decodeURIComponent(password)}`
  await appendFile(join(dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${followed}'\n`)
  await writeOwned(dataDir, 'standby.signal', '')
  return startPostgres({ dataDir, password: decodeURIComponent(password), durable: false, say })
}

/** By the calls that pg_basebackup makes too; npm's binaries are without that program. */
async function backUp({ primaryUrl, primaryDir, dataDir }: ReplicaOptions): Promise<void> {
  const client = new pg.Client({ connectionString: primaryUrl })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('replica', true)`)
    await promisify(execFile)('cp', ['-a', primaryDir, dataDir])
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    await writeOwned(dataDir, 'backup_label', rows[0].labelfile)
    await rm(join(dataDir, 'postmaster.pid'))
  } finally {
    await client.end()
  }
}

/** As the server's own user, who is another one when we are root. */
async function writeOwned(dataDir: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(dataDir)
  await writeFile(join(dataDir, name), text)
  await chown(join(dataDir, name), uid, gid)
}
