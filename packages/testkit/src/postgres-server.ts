import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ended, endProcess, LastLines } from './child-process'
import { embeddedBinaries, reachableFolder, type Say } from './embedded-binaries'
import { freePort } from './free-port'
import { postgresUser, type RunAs } from './postgres-user'

export interface PostgresOptions {
  /** Made when missing, used again when there. */
  readonly dataDir: string
  /** Of the superuser `postgres`; what a new data folder is made with. */
  readonly password: string
  /** Whether a commit survives a power cut. Tests do without. */
  readonly durable: boolean
  /** Any free one when left out. */
  readonly port?: number | undefined
  readonly say: Say
}

export interface PostgresServer {
  /** The superuser's, of the database `postgres`. */
  readonly url: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Runs PostgreSQL from npm's binaries on a loopback port, as the user `postgres` when we are root. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const native = await embeddedBinaries(options.say)
  const runAs = await postgresUser()
  const dataDir = await reachableFolder(options.dataDir, options.say)
  if (existsSync(join(dataDir, 'PG_VERSION'))) await stopLeftover(dataDir, options.say)
  else await initialise(native, dataDir, options.password, runAs)

  const { port = await freePort() } = options
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', 'shared_buffers=128MB'],
    ...(options.durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=4GB']),
  ]
  const child = spawn(
    join(native, 'bin', 'postgres'),
    ['-D', dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    // A group of its own: Ctrl-C in a terminal reaches us alone, and we stop the server when its clients are gone.
    { ...runAs, cwd: dataDir, env: serverEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  )
  await accepting(child)
  const password = encodeURIComponent(options.password)
  return {
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
    process: child,
    stop: () => endProcess(child, 'SIGINT', 30_000),
  }
}

/** Removes a data folder, wherever it had to be put. */
export async function removePostgresData(dataDir: string): Promise<void> {
  const quiet = () => undefined
  const place = await reachableFolder(dataDir, quiet)
  if (existsSync(join(place, 'PG_VERSION'))) await stopLeftover(place, quiet)
  await rm(place, { recursive: true, force: true })
}

/** Order by code point and Unicode's case rules, on every machine; trigrams take the C library's word for letters. */
const locale = [
  ...['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  `--lc-ctype=${process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'}`,
]

async function initialise(native: string, dataDir: string, password: string, runAs: RunAs): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const passwordFile = join(dirname(dataDir), `.initdb-${process.pid}`)
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  if (runAs.uid !== undefined && runAs.gid !== undefined) {
    await chown(dataDir, runAs.uid, runAs.gid)
    await chown(passwordFile, runAs.uid, runAs.gid)
  }
  const child = spawn(
    join(native, 'bin', 'initdb'),
    ['-D', dataDir, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync', ...locale],
    { ...runAs, cwd: dataDir, env: serverEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output = new LastLines(child)
  await ended(child)
  await rm(passwordFile, { force: true })
  if (child.exitCode === 0) return
  await rm(dataDir, { recursive: true, force: true })
  throw new Error(`PostgreSQL's data folder could not be made:\n${output.text()}`)
}

/** Messages stay English, for we wait for one of them. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }
}

async function accepting(child: ChildProcess): Promise<void> {
  const output = new LastLines(child)
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`PostgreSQL ended while it started:\n${output.text()}`)))
    child.stderr?.on('data', (text: string) => {
      if (/ready to accept (read-only )?connections/.test(text)) resolve()
    })
  })
}

/** A run that was killed leaves its server behind, which holds the folder. */
async function stopLeftover(dataDir: string, say: Say): Promise<void> {
  const file = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(file.split('\n')[0])
  if (!(pid > 0) || (await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== dataDir) return
  say(`a PostgreSQL of an earlier run still holds ${dataDir}: stopping it (process ${pid})`)
  process.kill(pid, 'SIGINT')
  for (let waits = 0; waits < 300 && existsSync(`/proc/${pid}`); waits += 1) await sleep(100)
}
