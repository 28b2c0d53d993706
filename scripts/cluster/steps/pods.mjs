/** Pods as the restricted standard wants them, seen from within. */
import { podsOf } from '../pod.mjs'
import { check, note } from '../report.mjs'
import { getJson, inPod } from '../run.mjs'
import { services } from '../settings.mjs'

const script = `
const fs = await import('node:fs')
const status = fs.readFileSync('/proc/self/status', 'utf8')
const field = (name) => new RegExp(name + ':\\\\s*(\\\\w+)').exec(status)[1]
const code = (path) => { try { fs.writeFileSync(path, ''); return 'written' } catch (error) { return error.code } }
console.log([process.getuid(), code('/app/x'), code('/tmp/x'), field('CapEff'), field('NoNewPrivs'), field('Seccomp'),
  fs.existsSync('/var/run/secrets/kubernetes.io')].join(' '))`

export async function podsStep() {
  // Nobody's user, a root that cannot be written, a /tmp that can, no capability, none to gain, filtered calls, no token.
  const wanted = '65532 EROFS written 0000000000000000 1 2 false'
  for (const service of [...Object.keys(services), 'ops']) {
    const [{ name }] = await podsOf(service)
    const seen = (await inPod(name, script)).trim()
    if (seen !== wanted) check(false, `${service} runs as it should`, `${seen} in place of ${wanted}`)
  }
  check(true, 'uid 65532, read-only root, no capabilities, NoNewPrivs, seccomp, no token', 'all services and ops')
}

/** At the end, of everything that was done. */
export async function eventsStep() {
  const { items } = await getJson('events')
  const refused = items.filter(({ message = '' }) => /violates PodSecurity|forbidden/i.test(message))
  check(refused.length === 0, 'no pod was refused', `${items.length} events, ${refused.length} refusals`)
  for (const { message } of refused.slice(0, 5)) note(message)
  const warnings = new Map()
  for (const { type, reason, involvedObject, count = 1 } of items) {
    // Budgets complain of the pods that only tried whom they reach.
    if (type !== 'Warning' || reason === 'UnmanagedPods') continue
    const key = `${reason} ${involvedObject.kind} ${involvedObject.name.replace(/-[a-z0-9]{6,10}-[a-z0-9]{5}$/, '')}`
    warnings.set(key, (warnings.get(key) ?? 0) + count)
  }
  for (const [key, count] of warnings) note(`warning: ${count} × ${key}`)
}
