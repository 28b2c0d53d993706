const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { join } = require('node:path')
const { createInterface } = require('node:readline')

/** Starts the servers that tests share, as a process of its own: their libraries are ES modules, which jest can't load. */
module.exports = async () => {
  if (process.env.WORLDS_UNIT_ONLY === '1') return
  // Of the tests' own look into the object store.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const script = join(__dirname, 'dist', 'servers.js')
  if (!existsSync(script)) throw new Error('packages/testkit is not built: npm run build')
  const servers = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  globalThis.worldsTestServers = servers
  process.env.WORLDS_TEST_SERVERS = await new Promise((resolve, reject) => {
    servers.once('exit', () => reject(new Error('the test servers did not start')))
    createInterface({ input: servers.stdout }).once('line', resolve)
  })
}
