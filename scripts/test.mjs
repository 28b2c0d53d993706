import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `npm test`: everything from a bare clone after `npm ci`. Arguments go to jest. */
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const jestArguments = process.argv.slice(2)
const began = Date.now()

if (!existsSync(join(root, 'node_modules', '.bin', 'jest'))) fail('node_modules is not there: run npm ci first', 1)

step('building all packages', 'npm', ['run', '-s', 'build'])
step('checking the types of the tests', join('node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.tests.json'])
step('checking style and imports', 'npm', ['run', '-s', 'lint'])
step(
  'running the tests over PostgreSQL, Redis and S3 of their own',
  join('node_modules', '.bin', 'jest'),
  jestArguments,
)
step('checking the Helm chart, as far as its tools are here', join('scripts', 'chart', 'check.sh'), [])
step('checking the load tests, as far as their tools are here', join('load-tests', 'check.sh'), [])
step('abusing the system, in the bounded form', process.execPath, [
  join('load-tests', 'dist', 'abuse', 'main.js'),
  '--bounded',
])
step('fuzzing the API by its document, as far as schemathesis is here', join('scripts', 'fuzz', 'check.sh'), [])
step('counting clauses with a test', process.execPath, [join('scripts', 'dist', 'spec.js')])
say('all well')

function step(title, command, args) {
  say(title)
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  })
  if (error !== undefined) fail(`${title}: ${error.message}`, 1)
  if (status !== 0) fail(`failed: ${title}`, status ?? 1)
}

function say(line) {
  console.log(`== ${line} (${((Date.now() - began) / 1000).toFixed(0)} s)`)
}

function fail(line, status) {
  console.error(`== ${line}`)
  process.exit(status)
}
