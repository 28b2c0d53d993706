/** The release comes up by itself, over an empty database, and its own test passes. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { podsOf } from '../pod.mjs'
import { deploy, secret } from '../release.mjs'
import { check, note, seconds } from '../report.mjs'
import { apply, helm, kubectl, until } from '../run.mjs'
import { pin, release, root, services } from '../settings.mjs'
import { sql } from '../stores.mjs'

export async function installStep({ stores }) {
  const began = Date.now()
  const said = await deploy('install', stores)
  check(true, 'helm install --wait', seconds(began))
  check(!/would violate PodSecurity/.test(said), 'the restricted standard has nothing to warn of')
  const counts = []
  for (const service of Object.keys(services)) {
    const ready = (await podsOf(service)).filter(({ isReady }) => isReady).length
    counts.push(`${service} ${ready}`)
    if (ready !== 2) check(false, `two pods of ${service} are ready`, String(ready))
  }
  check(true, 'pods ready', counts.join(', '))
  await migrated(stores)
}

async function migrated({ databaseUrl }) {
  const ran = []
  for (const schema of ['element', 'membership', 'file']) {
    const files = await readdir(join(root, 'services', schema, 'migrations'))
    const [{ count }] = await sql(databaseUrl, `select count(*)::int from ${schema}.migrations`)
    ran.push(`${schema} ${count} of ${files.length}`)
    if (count !== files.length) check(false, `the migrations of ${schema} ran`, `${count} of ${files.length}`)
  }
  check(true, 'migrations ran', ran.join(', '))
}

/** An account as an operator makes it, kept where the chart's test looks for it. */
export async function accountStep(context) {
  const command = ['exec', `deploy/${release}-ops`, '--', 'node', 'ops.js', 'account', 'create']
  const printed = await kubectl(...command, '--email', 'test@example.org', '--pin', pin)
  const { token } = JSON.parse(printed)
  await apply(secret('worlds-test-account', { token, pin }))
  context.token = token
  check(typeof token === 'string', "an account is made by the operator's pod")
}

export async function helmTestStep() {
  const began = Date.now()
  const said = await helm(['test', release, '--logs', '--timeout', '5m']).catch((error) => error)
  const log = `${said.stdout}\n${said.stderr}`
  check(!(said instanceof Error) && /^well$/m.test(log), 'helm test --logs', seconds(began))
  note(
    log
      .split('\n')
      .filter((line) => /^(ok|not so|left out|well|Error|POD LOGS)/.test(line))
      .join('\n'),
  )
  const left = await until('the test is gone', 20_000, async () => {
    const names = await kubectl('get', 'pods,jobs,configmaps', '-l', 'app.kubernetes.io/component=test', '-o', 'name')
    return names === '' && 'nothing'
  }).catch(() => undefined)
  check(left !== undefined, 'nothing of the test stays')
}
