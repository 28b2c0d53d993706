/** Holding the gateway's slots from outside, by latency between it and the services behind, and watching them. */
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { openWorlds, type World } from './auth.ts'
import { ask } from './client.ts'
import { elementOf } from './data.ts'

export type Proxy = 'element' | 'change-feed'

/** As the gateway under test is configured; `openStage` makes sure of it. */
export const slots = Number(__ENV.REQUEST_SLOTS || 4)
export const slotWaitMs = 10_000

/** Longer than anything here takes, and shorter than the deadline of a call. */
export const forLong = 45_000

const control = { tags: { op: 'control', name: 'control' } }

/** So many virtual users do it once each, from so many seconds after the beginning. */
export function once(exec: string, vus: number, atS: number, env: Record<string, string> = {}) {
  const startTime = `${atS * 1000}ms`
  return { executor: 'per-vu-iterations' as const, exec, vus, iterations: 1, startTime, maxDuration: '40s', env }
}

/** Requests that come at this rate whatever becomes of them: each may wait for a slot and then take `serviceMs`. */
export function constantly(exec: string, { perSecond, serviceMs, seconds, atS, env }: Arrivals) {
  const users = Math.ceil(perSecond * ((slotWaitMs + serviceMs) / 1000 + 1)) + 5
  return {
    executor: 'constant-arrival-rate' as const,
    exec,
    rate: Math.round(perSecond * 60),
    timeUnit: '60s',
    duration: `${seconds * 1000}ms`,
    startTime: `${atS * 1000}ms`,
    preAllocatedVUs: users,
    maxVUs: users,
    // Whoever still waits then has been answered.
    gracefulStop: '12s',
    env,
  }
}

interface Arrivals {
  readonly perSecond: number
  readonly serviceMs: number
  readonly seconds: number
  readonly atS: number
  readonly env: Record<string, string>
}

export interface Stage {
  readonly world: World
  readonly path: string
}

/** A world with one element to ask for, behind proxies that let all through, in front of slots that are all free. */
export function openStage(): Stage {
  if (!__ENV.TOXIPROXY_URL || !__ENV.METRICS_URLS) exec.test.abort('TOXIPROXY_URL and METRICS_URLS are needed')
  for (const proxy of ['element', 'change-feed'] as const) release(proxy)
  const [world] = openWorlds(1) as [World]
  const made = ask('POST', '/api/v2/character', { op: 'prepare', headers: world.headers, body: elementOf(0) })
  if (made.status !== 201) exec.test.abort(`no element was made: ${made.status} ${made.text}`)
  const found = gauges()
  if (found.capacity !== slots || found.inUse > 0)
    exec.test.abort(`${slots} free slots expected: ${JSON.stringify(found)}`)
  return { world, path: `/api/v2/character/${made.body.id}` }
}

/** From now on answers of this service take so much longer to reach the gateway. */
export function hold(proxy: Proxy, latencyMs: number): void {
  const toxic = { name: 'hold', type: 'latency', stream: 'downstream', attributes: { latency: latencyMs } }
  const reply = http.post(`${proxyUrl(proxy)}/toxics`, JSON.stringify(toxic), control)
  if (reply.status !== 200) exec.test.abort(`${proxy} is not held: ${reply.status} ${reply.body}`)
}

/** Lets go what was held, at once. */
export function release(proxy: Proxy): void {
  http.request('DELETE', `${proxyUrl(proxy)}/toxics/hold`, null, control)
}

/**
 * Cuts the connection and has a new one made. The gateway opens a new stream to a service every half minute, and that
 * must not fall due while answers are held: it would be taken for a service that is gone.
 */
export function freshen(proxy: Proxy, { world, path }: Stage): void {
  for (const enabled of [false, true]) http.post(proxyUrl(proxy), JSON.stringify({ enabled }), control)
  for (let tries = 0; tries < 100; tries += 1) {
    if (ask('GET', proxy === 'element' ? path : '/api/v2/changes', { op: 'prepare', headers: world.headers }).ok) return
    sleep(0.05)
  }
  exec.test.abort(`the gateway does not reach ${proxy} again`)
}

export interface Gauges {
  readonly capacity: number
  readonly inUse: number
  readonly waiting: number
}

export function gauges(): Gauges {
  const text = String(http.get(`${metricsUrl('gateway')}/metrics`, control).body)
  const read = (name: string) =>
    Number(new RegExp(`^request_slots_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])
  return { capacity: read('capacity'), inUse: read('in_use'), waiting: read('waiting') }
}

/** Polls until it is so; answers how many milliseconds that took, or null when it was not so in time. */
export function until(isSo: (found: Gauges) => boolean, withinMs: number): number | null {
  const began = Date.now()
  while (Date.now() - began <= withinMs) {
    if (isSo(gauges())) return Date.now() - began
    sleep(0.02)
  }
  return null
}

/** METRICS_URLS is `gateway=http://…,element=http://…`. */
export function metricsUrl(service: string): string {
  const urls = (__ENV.METRICS_URLS ?? '').split(',')
  return urls.find((entry) => entry.startsWith(`${service}=`))?.slice(service.length + 1) ?? ''
}

function proxyUrl(proxy: Proxy): string {
  return `${__ENV.TOXIPROXY_URL}/proxies/${proxy}`
}
