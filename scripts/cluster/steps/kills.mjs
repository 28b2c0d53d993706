/** Pods and processes that end without a word, and pods that are asked to go. */
import { readdir, readFile } from 'node:fs/promises'
import { allPodsOf, podsOf } from '../pod.mjs'
import { check, leftOut, seconds } from '../report.mjs'
import { kubectl, run, until } from '../run.mjs'
import { services, settings } from '../settings.mjs'
import { underLoad } from '../under-load.mjs'

const boundMs = 120_000
const rounds = 3

export async function killStep() {
  for (const service of Object.keys(services)) {
    await underLoad(`a pod of ${service} is taken away by force, ${rounds} times`, () => repeated(takeAway, service))
    const [{ uid }] = await podsOf(service)
    if ((await processesOf(uid)).length === 0) leftOut(`kill -9 of ${service}`, "its processes can't be seen from here")
    else await underLoad(`a process of ${service} is killed, ${rounds} times`, () => repeated(killProcess, service))
  }
}

async function repeated(work, service) {
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const began = Date.now()
    await work(service)
    times.push(seconds(began))
  }
  return `whole again after ${times.join(', ')}`
}

async function takeAway(service) {
  const [pod] = await podsOf(service)
  await kubectl('delete', 'pod', pod.name, '--grace-period=0', '--force')
  await until(`${service} is whole again`, boundMs, async () => {
    const now = await podsOf(service)
    return now.length === 2 && now.every(({ isReady, uid }) => isReady && uid !== pod.uid)
  })
}

async function killProcess(service) {
  const pod = (await podsOf(service)).at(-1)
  const [pid] = await processesOf(pod.uid)
  process.kill(pid, 'SIGKILL')
  await until(`${service} is whole again`, boundMs, async () => {
    const now = await podsOf(service)
    const same = now.find(({ uid }) => uid === pod.uid)
    return same !== undefined && same.restarts > pod.restarts && now.every(({ isReady }) => isReady)
  })
}

/** Node processes of a pod, by the control group that they are in, where its node is on this machine. */
async function processesOf(uid) {
  const found = []
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const id of ids) {
    const group = await readFile(`/proc/${id}/cgroup`, 'utf8').catch(() => '')
    if (!group.includes(uid) && !group.includes(uid.replaceAll('-', '_'))) continue
    const name = await readFile(`/proc/${id}/comm`, 'utf8').catch(() => '')
    if (/^(node|MainThread)$/.test(name.trim())) found.push(Number(id))
  }
  return found.sort((one, other) => one - other)
}

/** As when a node is drained: one pod of each service goes, and the other may not go with it. */
export async function evictStep() {
  await underLoad('a pod of every service is evicted', async () => {
    const answers = await Promise.all(Object.keys(services).map(evictBoth))
    check(answers.every(Boolean), 'the other pod of each is kept by its budget', `${answers.length} services`)
  })
}

async function evictBoth(service) {
  const [one, other] = await podsOf(service)
  await evict(one.name)
  const refused = await evict(other.name).then(
    () => false,
    ({ message }) => /disruption budget/.test(message),
  )
  await until(`${service} is whole again`, boundMs, async () => {
    const now = await allPodsOf(service)
    return now.length === 2 && now.every(({ isReady, uid }) => isReady && uid !== one.uid)
  })
  return refused
}

function evict(name) {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: settings.namespace } }
  const path = `/api/v1/namespaces/${settings.namespace}/pods/${name}/eviction`
  return run('kubectl', ['create', '--raw', path, '-f', '-'], { input: JSON.stringify(eviction) })
}
