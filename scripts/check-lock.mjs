import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Checks package-lock.json, or the file given: every package that is downloaded has a SHA-512, and none names the
 * registry it came from, because a clone uses its own. `npm run lint` runs it.
 *
 * Optional packages with binaries of platforms that images are not built for may lack the hash, where the registry that
 * the lock file was made with does not carry them: `scripts/complete-lock.mjs` adds it with a registry that does.
 */
const file = process.argv[2] ?? join(fileURLToPath(import.meta.url), '../../package-lock.json')
const { lockfileVersion, packages } = JSON.parse(readFileSync(file, 'utf8'))
const downloaded = Object.entries(packages).filter(([path, { link }]) => /(^|\/)node_modules\//.test(path) && !link)

const faults = []
let unknown = 0
if (lockfileVersion !== 3) faults.push(`lockfileVersion is ${lockfileVersion}, not 3`)
for (const [path, entry] of downloaded) {
  if (entry.resolved !== undefined) faults.push(`${path} names where it was downloaded: ${entry.resolved}`)
  if (entry.integrity === undefined && isForeign(entry)) unknown += 1
  else if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push(`${path} has no SHA-512`)
}

for (const fault of faults) console.error(`package-lock.json: ${fault}`)
const without = unknown === 0 ? '' : `; ${unknown} of other platforms have no hash yet (scripts/complete-lock.mjs)`
console.log(`package-lock.json: ${downloaded.length} packages${without}`)
process.exitCode = faults.length === 0 ? 0 : 1

/** Not for Linux with glibc on x64 or arm64, which is what images are. */
function isForeign({ optional, os, cpu, libc = [] }) {
  if (!optional || os === undefined || cpu === undefined) return false
  return !os.includes('linux') || libc.includes('musl') || !(cpu.includes('x64') || cpu.includes('arm64'))
}
