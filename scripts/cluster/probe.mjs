/** Pods with the labels of others, that try whom they reach. */
import { podOf } from './pod.mjs'
import { inPod, kubectl, run, until } from './run.mjs'
import { release, settings } from './settings.mjs'

/** What must pass is given time, for rules follow a new pod; what must not is tried twice. */
const script = `
import { connect } from 'node:net'
import { lookup } from 'node:dns/promises'
const targets = JSON.parse(process.argv[1])
const once = ({ ip, port, name }) => name !== undefined ? lookup(name).then(() => true, () => false) : new Promise((resolve) => {
  const socket = connect({ host: ip, port, timeout: 1500 })
  socket.once('connect', () => { socket.destroy(); resolve(true) })
  socket.once('timeout', () => { socket.destroy(); resolve(false) })
  socket.once('error', () => resolve(false))
})
const tried = async (target) => {
  const end = Date.now() + 20000
  for (let tries = 1; ; tries += 1) {
    const passed = await once(target)
    if (passed === target.expected && (passed || tries > 1)) return passed
    if (Date.now() > end) return passed
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
console.log(JSON.stringify(await Promise.all(targets.map(tried))))`

/** `from` is a component of the release, or a name of nobody. */
export async function makeProbe(from, isMember) {
  const labels = {
    'app.kubernetes.io/name': 'worlds',
    'app.kubernetes.io/instance': release,
    'app.kubernetes.io/component': from,
  }
  const pod = podOf(`probe-${from}`, {
    args: ['-e', 'setInterval(() => {}, 60000)'],
    labels: isMember ? labels : {},
    // It has a service's labels, and must not be taken for one: a pod that is never ready is in no Service.
    readinessGates: [{ conditionType: 'worlds/never' }],
  })
  const where = ['-n', namespaceOf(from)]
  await run('kubectl', [...where, 'apply', '-f', '-'], { input: JSON.stringify(pod) })
  await until(`the probe ${from} runs`, 60_000, async () => {
    const { stdout } = await run('kubectl', [...where, 'get', 'pod', `probe-${from}`, '-o', 'jsonpath={.status.phase}'])
    return stdout === 'Running'
  })
}

/** For each target `{ip, port, expected}`, or `{name, expected}` to be looked up, whether it is reached. */
export async function probe(from, targets) {
  const asked = JSON.stringify(targets)
  if (from !== 'monitoring') return JSON.parse(await inPod(`probe-${from}`, script, asked))
  const command = ['exec', 'probe-monitoring', '--', 'node', '--input-type=module', '-e', script, asked]
  return JSON.parse((await run('kubectl', ['-n', settings.monitoring, ...command])).stdout)
}

export async function removeProbes(everybody) {
  const deletion = ['--ignore-not-found', '--grace-period=1']
  await kubectl('delete', 'pod', ...everybody.map((from) => `probe-${from}`), ...deletion)
  await run('kubectl', ['-n', settings.monitoring, 'delete', 'pod', 'probe-monitoring', ...deletion])
}

function namespaceOf(from) {
  return from === 'monitoring' ? settings.monitoring : settings.namespace
}
