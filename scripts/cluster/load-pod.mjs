/** The load's pod: k6 with load-tests/restarts, which goes on until it is told to end; and what it says of itself. */
import { podOf } from './pod.mjs'
import { apply, forward, kubectl, until } from './run.mjs'
import { loadImage, release } from './settings.mjs'

const name = 'load'
const apiPort = 6565
/** Some thirty requests a second, over many worlds, for a world's calls go to one replica. */
const settings = {
  RATE_FACTOR: '0.3',
  WORLDS: '16',
  // A pod that starts takes longer than a process, and a file whose report died with a pod is found by a later round.
  PATIENCE: '30',
  LISTED_WITHIN: '120',
  OWN_CONNECTIONS: '0.25',
  KILLS: 'yes',
  // Longer than all steps.
  DURATION: '14400',
  SUMMARY: 'line',
}
export const patienceMs = 1_000 * Number(settings.PATIENCE)

export async function startLoad() {
  const fromSecret = (key) => ({ valueFrom: { secretKeyRef: { name: 'worlds-test-account', key } } })
  const api = `127.0.0.1:${apiPort}`
  const values = {
    ...settings,
    BASE_URL: `http://${release}-gateway`,
    UPLOAD_URLS: `http://${release}-upload-host`,
    CONTROL_URL: `http://${api}`,
  }
  const pod = podOf(name, {
    image: loadImage,
    args: [
      'run',
      '--quiet',
      '--no-usage-report',
      '--log-format=json',
      `--address=${api}`,
      '/load-tests/restarts/rolling.ts',
    ],
    resources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    env: [
      ...Object.entries(values).map(([name, value]) => ({ name, value })),
      { name: 'ACCOUNT_TOKEN', ...fromSecret('token') },
      { name: 'ACCOUNT_PIN', ...fromSecret('pin') },
    ],
  })
  await apply(pod)
  await until('the load runs', 120_000, async () => (await counts()).sent > 40)
}

export async function removeLoad() {
  await kubectl('delete', `pod/${name}`, '--ignore-not-found', '--grace-period=1')
}

/** What k6 has counted so far. */
export async function counts() {
  const counted = {
    sent: 0,
    retried: 0,
    lost: 0,
    open_requests: 0,
    under_way: 0,
    turned_away: 0,
    dropped_iterations: 0,
  }
  for (const { id, attributes } of await ask('GET', 'metrics')) counted[id] = attributes.sample.count
  return counted
}

/**
 * Lets what is under way have its end, and k6 look at what is there then (load-tests/restarts/ending.ts). Answers k6's
 * figures and its verdict.
 */
export async function endLoad() {
  const { attributes } = await ask('GET', 'setup')
  await ask('PUT', 'setup', { ...attributes.data, isEnding: true })
  await until('nothing is under way', 120_000 + patienceMs, async () => {
    const { under_way, turned_away } = await counts()
    return turned_away > 0 && under_way === 0
  })
  await ask('PATCH', 'status', { data: { type: 'status', id: 'default', attributes: { stopped: true } } })
  return until('the audit is done', 240_000, async () => {
    const line = (await kubectl('logs', name, '--tail=5')).split('\n').find((text) => text.startsWith('{"title"'))
    return line !== undefined && JSON.parse(line)
  })
}

/** What k6 found amiss beside tries that failed, and when. */
export async function complaints() {
  const lines = (await kubectl('logs', name)).split('\n').filter((line) => /"level":"(error|warning)"/.test(line))
  const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => !/^Request Failed|from REST API$/.test(msg))
  return said.slice(0, 20).map(({ time, scenario = '', msg }) => `${time} ${scenario} ${msg}`)
}

/** What failed since then, as lib/persistent.ts tells it: each try by its kind of request and the reason, counted. */
export async function reasonsSince(time) {
  const reasons = new Map()
  for (const line of (await kubectl('logs', name, `--since-time=${time.toISOString()}`)).split('\n')) {
    const message = line.startsWith('{"level"') ? JSON.parse(line).msg : ''
    const told = /^(again|LOST|unkeyed) (\{.*\})$/.exec(message)
    if (told === null) continue
    const { op, status, error, text } = JSON.parse(told[2])
    const why = status === 0 ? error.replaceAll(/\S*\d:\d\S*/g, '…') : `${status} ${codeIn(text)}`
    const reason = `${op}${told[1] === 'LOST' ? ' LOST' : ''}: ${why}`
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return reasons
}

function codeIn(text) {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text
}

async function ask(method, what, body) {
  let way
  try {
    way = await forward(`pod/${name}`, apiPort)
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${way.url}/v1/${what}`, { method, ...sent, signal: AbortSignal.timeout(20_000) })
    if (!reply.ok) throw new Error(`k6 answers ${reply.status} ${await reply.text()}`)
    return (await reply.json()).data
  } catch (error) {
    throw new Error(`${error.message}; k6 said last: ${await kubectl('logs', name, '--tail=3')}`)
  } finally {
    way?.close()
  }
}
