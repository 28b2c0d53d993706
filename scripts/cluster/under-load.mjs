/** The load's pod, and what happens to its requests while something is done to the system. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { podOf } from './pod.mjs'
import { check, note, seconds } from './report.mjs'
import { apply, kubectl, until } from './run.mjs'
import { here, release } from './settings.mjs'

const name = 'load'

export async function startLoad() {
  const data = {}
  for (const file of ['load.mjs', 'audit.mjs']) data[file] = await readFile(join(here, file), 'utf8')
  const fromSecret = (key) => ({ valueFrom: { secretKeyRef: { name: 'worlds-test-account', key } } })
  await apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
    podOf(name, {
      args: ['/load/load.mjs'],
      env: [
        { name: 'GATEWAY_URL', value: `http://${release}-gateway` },
        { name: 'UPLOAD_URL', value: `http://${release}-upload-host` },
        { name: 'ACCOUNT_TOKEN', ...fromSecret('token') },
        { name: 'ACCOUNT_PIN', ...fromSecret('pin') },
      ],
      volumes: [{ name: 'load', configMap: { name } }],
      volumeMounts: [{ name: 'load', mountPath: '/load', readOnly: true }],
    }),
  )
  await until('the load runs', 120_000, async () => (await latest()).sent > 40)
}

export async function stopLoad() {
  await kubectl('delete', `pod/${name}`, `configmap/${name}`, '--ignore-not-found', '--grace-period=1')
}

/** Does something, and tells how the requests fared that were sent meanwhile. */
export async function underLoad(what, work) {
  const before = await latest()
  const began = Date.now()
  const evidence = await work()
  const took = seconds(began)
  const { sent } = await latest()
  const after = await until('every request has an end', 120_000, async () => {
    const line = await latest()
    return line.ended >= sent && line
  })
  const [lost, failedFirst] = ['lost', 'failedFirst'].map((which) => total(after, which) - total(before, which))
  const counted = `${total(after, 'sent') - total(before, 'sent')} requests, ${failedFirst} failed at first, ${lost} lost`
  check(lost === 0, what, [evidence, took, counted].filter(Boolean).join('; '))
  for (const [reason, count] of Object.entries(after.reasons)) {
    const more = count - (before.reasons[reason] ?? 0)
    if (more > 0) note(`${more} × ${reason}`)
  }
}

/** Ends the load: what was acknowledged must be there, and once. */
export async function auditLoad() {
  const { counts } = await latest()
  await kubectl('exec', name, '--', 'node', '-e', "process.kill(1, 'SIGUSR2')")
  const audit = await until('the audit is done', 240_000, async () => (await line(/^\{"audit"/))?.audit)
  if (audit.error !== undefined) return check(false, 'everything acknowledged is there', audit.error)
  const { elements, missing, twiceThere, files, filesMissing } = audit
  check(missing.length === 0, 'every write that was acknowledged is there', `${elements}, ${missing.length} missing`)
  check(twiceThere.length === 0, 'nothing was written twice', `${twiceThere.length} twice`)
  check(
    filesMissing.length === 0,
    'every upload that was acknowledged is listed',
    `${files}, ${filesMissing.length} missing`,
  )
  note(JSON.stringify(counts))
}

async function line(form) {
  const lines = (await kubectl('logs', name, '--tail=3')).split('\n').filter((text) => form.test(text))
  return lines.length === 0 ? undefined : JSON.parse(lines.at(-1))
}

async function latest() {
  const found = await line(/^\{"sent"/)
  if (found === undefined) throw new Error(`the load has said nothing: ${await kubectl('logs', name, '--tail=5')}`)
  return found
}

function total({ counts }, which) {
  return Object.values(counts).reduce((sum, kind) => sum + kind[which], 0)
}
