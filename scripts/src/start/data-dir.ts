import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endLeftovers } from '@worlds/testkit/leftovers'
import { removePostgresData } from '@worlds/testkit/postgres-server'

/** Where the processes of a run are noted, for the next one to end should this one be killed. */
export function processesOf(dir: string): string {
  return join(dir, 'processes')
}

const addressFiles = ['addresses.json', 'internal.json']

/**
 * Makes the data folder this run's own: one run at a time, and no addresses in it until all is
 * healthy. What is removed by `fresh` is only what runs keep there.
 */
export async function takeDataDir(dir: string, fresh: boolean, say: (line: string) => void): Promise<void> {
  await mkdir(dir, { recursive: true })
  // PostgreSQL runs as another user when we are root and must pass through; names alone are not secret.
  if (process.getuid?.() === 0) await chmod(dir, 0o711)
  const lock = join(dir, 'start.pid')
  const pid = Number(await readFile(lock, 'utf8').catch(() => '0'))
  if (pid > 0 && pid !== process.pid && (await isStart(pid))) {
    throw new Error(`another npm start (process ${pid}) already runs on ${dir}`)
  }
  await writeFile(lock, String(process.pid))
  for (const name of addressFiles) await rm(join(dir, name), { force: true })
  const left = await endLeftovers(processesOf(dir))
  if (left > 0) say(`ended ${left} processes that an earlier run had left behind`)
  if (!fresh) return
  await removePostgresData(join(dir, 'postgres'))
  for (const name of ['redis', 's3', 'secrets.json', 'demo.json'])
    await rm(join(dir, name), { recursive: true, force: true })
}

export async function leaveDataDir(dir: string): Promise<void> {
  for (const name of [...addressFiles, 'start.pid']) await rm(join(dir, name), { force: true })
}

/** Replaces the file in one step: a reader finds the old content or the new. */
export async function writeFileOf(dir: string, name: string, content: unknown, secret = false): Promise<void> {
  const path = join(dir, name)
  const next = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(next, `${JSON.stringify(content, null, 2)}\n`, { mode: secret ? 0o600 : 0o644 })
  await rename(next, path)
}

/** An id may have been given to another process since. */
async function isStart(pid: number): Promise<boolean> {
  if (!existsSync('/proc')) return isAlive(pid)
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('start.js')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
