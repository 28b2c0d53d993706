/** Who reaches whom: a pod with each service's labels tries every port of every service, and the stores. */
import { isIPv4 } from 'node:net'
import { podsOf } from '../pod.mjs'
import { makeProbe, probe, removeProbes } from '../probe.mjs'
import { always, deploy } from '../release.mjs'
import { check, leftOut, note } from '../report.mjs'
import { run } from '../run.mjs'
import { release, services, settings } from '../settings.mjs'

// As docs and drawings have it, not as the chart's templates do.
const callers = {
  element: ['gateway', 'membership', 'file', 'ops'],
  'change-feed': ['gateway', 'ops'],
  membership: ['gateway', 'ops'],
  file: ['gateway', 'ops'],
}
const users = {
  postgres: ['element', 'change-feed', 'membership', 'file', 'migrate'],
  redis: ['gateway', 'element', 'membership', 'file', 'upload-host'],
  s3: ['file', 'upload-host'],
}
const members = [...Object.keys(services), 'ops', 'test', 'migrate']
const everybody = [...members, 'stranger', 'monitoring']

function letsIn(from, to, port) {
  if (users[to] !== undefined || to === 'names') return true
  if (port === 9090) return from === 'monitoring'
  return port === 8082 || callers[to] === undefined || callers[to].includes(from)
}

function letsOut(from, to, port) {
  if (to === 'names') return true
  if (users[to] !== undefined) return users[to].includes(from)
  return port === 8080 && (callers[to] === undefined ? from === 'test' : callers[to].includes(from))
}

/** What is let in, while everybody may call whom they like. */
export async function networkStep() {
  await table('only the drawn arrows are let in', await serviceTargets(), letsIn)
}

/** The other direction closed too, but for the stores; it stays so for the steps that follow. */
export async function egressStep({ stores }) {
  const { storesHost } = settings
  if (!isIPv4(storesHost)) return leftOut('egress', 'STORES_HOST is not an address that a policy could name')
  const ports = {
    postgres: Number(stores.postgresAt.split(':').at(-1)),
    redis: Number(new URL(stores.redisUrl).port),
    s3: Number(new URL(stores.s3.endpoint).port),
  }
  always.push('networkPolicy.egress.enabled=true')
  const dnsPorts = await portsOfDns()
  if (dnsPorts.length > 0) always.push(`networkPolicy.egress.dnsPorts={${dnsPorts.join(',')}}`)
  for (const [store, port] of Object.entries(ports)) {
    const key = `networkPolicy.egress.${store}`
    always.push(`${key}.cidrs={${storesHost}/32}`, `${key}.ports={${port}}`)
  }
  await deploy('upgrade', stores)
  const targets = Object.entries(ports).map(([name, port]) => ({ service: name, ip: storesHost, port }))
  const passes = (from, to, port) => letsIn(from, to, port) && (!members.includes(from) || letsOut(from, to, port))
  await table('nor is more let out', [...(await serviceTargets()), ...targets], passes)
}

/** As an operator finds them out: what the pods behind DNS's Service listen on. */
async function portsOfDns() {
  const selector = ['-l', 'kubernetes.io/service-name=kube-dns', '-o', 'json']
  const { stdout } = await run('kubectl', ['-n', 'kube-system', 'get', 'endpointslices', ...selector])
  const ports = JSON.parse(stdout).items.flatMap(({ ports }) => ports.map(({ port }) => port))
  return ports.length === 0 ? [] : [...new Set([53, ...ports])]
}

async function serviceTargets() {
  const targets = []
  for (const service of Object.keys(services)) {
    const [{ ip }] = await podsOf(service)
    for (const port of service === 'file' ? [8080, 8082, 9090] : [8080, 9090]) targets.push({ service, ip, port })
  }
  // Without names nobody finds anybody; a fault here shows only in pods that start later.
  targets.push({ service: 'names', name: `${release}-element.${settings.namespace}.svc` })
  return targets
}

async function table(what, targets, passes) {
  try {
    await Promise.all(everybody.map((from) => makeProbe(from, members.includes(from))))
    const rows = []
    for (const from of everybody) {
      const asked = targets.map((one) => ({ ...one, expected: passes(from, one.service, one.port) }))
      const seen = await probe(from, asked)
      rows.push({ from, cells: asked.map(({ expected }, index) => ({ expected, seen: seen[index] })) })
    }
    tell(what, targets, rows)
  } finally {
    await removeProbes(everybody)
  }
}

function tell(what, targets, rows) {
  const all = rows.flatMap(({ cells }) => cells)
  if (all.every(({ seen }) => seen)) return leftOut(what, 'this cluster enforces no NetworkPolicy')
  const columns = targets.map(({ service, port }) =>
    port === undefined || users[service] ? service : `${service}:${port}`,
  )
  note([''.padEnd(12), ...columns].join(' '))
  for (const { from, cells } of rows) {
    const marks = cells.map(({ seen, expected }) => `${seen ? 'passes' : '-'}${seen === expected ? '' : '!'}`)
    note([from.padEnd(12), ...marks.map((mark, index) => mark.padEnd(columns[index].length))].join(' '))
  }
  const wrong = all.filter(({ seen, expected }) => seen !== expected).length
  const passing = all.filter(({ seen }) => seen).length
  check(wrong === 0, what, `${all.length} pairs, ${passing} pass, ${wrong} not as drawn`)
}
