import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Adds the other platforms' binaries to package-lock.json, or the file given, that npm 11 leaves out when the registry
 * in use does not carry them; `npm ci` refuses a lock file without them. Then asks the registry for the hashes that are
 * still missing. Run it after `npm install`.
 */
const file = process.argv[2] ?? join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const { '': root, ...packages } = lock.packages
const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64']

let added = 0
for (const { dev, optionalDependencies = {} } of Object.values(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`))) continue
    packages[`node_modules/${name}`] = { version, ...platformOf(name), ...(dev ? { dev } : {}), optional: true }
    added += 1
  }
}
lock.packages = { '': root, ...Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))) }
let hashed = 0
for (const [path, entry] of Object.entries(packages)) {
  if (!path.includes('node_modules/') || entry.link || entry.integrity !== undefined) continue
  const integrity = hashOf(path.slice(path.lastIndexOf('node_modules/') + 13), entry.version)
  if (integrity === null) continue
  entry.integrity = integrity
  hashed += 1
}
if (added + hashed > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${added} packages of other platforms and ${hashed} hashes added to package-lock.json`)

/** Null for a package that the registry in use does not carry. */
function hashOf(name, version) {
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], { encoding: 'utf8' })
  const hash = stdout.trim()
  return status === 0 && hash.startsWith('sha512-') ? hash : null
}

function platformOf(name) {
  const words = name.split(/[/-]/)
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : words.includes('gnu') ? ['glibc'] : undefined
  return {
    os: systems.filter((system) => words.includes(system)),
    cpu: processors.filter((processor) => words.includes(processor)),
    ...(libc === undefined ? {} : { libc }),
  }
}
