/**
 * The slots, to the tenth of a second. Twice all of them are filled by requests that cannot end, and more requests come:
 * `full` nothing is let go, and each of those who wait is told `server_busy` after 10 s; `one` a single slot is let go
 * after 5 s, and goes to whoever has waited longest.
 */
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Trend } from 'k6/metrics'
import { closeWorlds } from '../lib/auth.ts'
import { expect } from '../lib/checks.ts'
import { ask, type Reply } from '../lib/client.ts'
import {
  forLong,
  freshen,
  gauges,
  hold,
  metricsUrl,
  once,
  openStage,
  release,
  type Stage,
  slots,
  until,
} from '../lib/slots.ts'
import { figureOf, type SummaryData, summarize, trendStats } from '../lib/summary.ts'

const extras = Number(__ENV.EXTRAS || 12)
/** Seconds after which a variant's part begins: when its slots are filled, and when more requests come. */
const [fillAt, extrasAt, oneLater] = [1.5, 3, 18]
/** Between two of those who wait, so that there is an oldest. */
const apartS = 0.1

const emptiedMs = new Trend('emptied_ms', true)

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 399 }, 503))

export const options = {
  scenarios: {
    full_conduct: once('conductFull', 1, 0),
    full_fill: once('fill', slots, fillAt, { VARIANT: 'full' }),
    full_extra: once('extra', extras, extrasAt, { VARIANT: 'full' }),
    one_conduct: once('conductOne', 1, oneLater),
    one_fill: once('fill', slots, oneLater + fillAt, { VARIANT: 'one' }),
    one_extra: once('extra', extras, oneLater + extrasAt, { VARIANT: 'one' }),
  },
  thresholds: {
    checks: ['rate==1'],
    other_5xx: ['count==0'],
    no_answer: ['count==0'],
    'busy_503{op:full_extra}': [`count==${extras}`],
    'busy_503{op:one_extra}': [`count==${extras - 1}`],
    'busy_wait_ms{op:full_extra}': ['min>=9800', 'max<=10200'],
    'busy_wait_ms{op:one_extra}': ['min>=9800', 'max<=10200'],
    'accepted{op:full_holder}': [`count==${slots}`],
    'accepted{op:one_holder}': [`count==${slots}`],
    'accepted{op:one_extra}': ['count==1'],
    'http_req_duration{op:livez}': ['p(95)<200', 'max<500'],
    emptied_ms: ['max<1000'],
  },
  summaryTrendStats: trendStats,
}

export function setup(): Stage {
  return openStage()
}

export function conductFull(stage: Stage): void {
  freshen('element', stage)
  hold('element', forLong)
  sleepTo(extrasAt - 0.4)
  expectGauges('once filled', 0)
  probeUntil(extrasAt + 2)
  expectGauges('while more wait', extras)
  probeUntil(extrasAt + 11)
  expectGauges('once all who waited were refused', 0)
  letAllGo()
}

export function conductOne(stage: Stage): void {
  for (const proxy of ['element', 'change-feed'] as const) {
    freshen(proxy, stage)
    hold(proxy, forLong)
  }
  sleepTo(extrasAt - 0.4)
  expectGauges('once filled', 0)
  probeUntil(extrasAt + 5)
  expectGauges('while more wait', extras)
  release('change-feed')
  sleep(0.5)
  expectGauges('once one slot was let go', extras - 1)
  probeUntil(extrasAt + apartS * extras + 11)
  expectGauges('once all others were refused', 0)
  letAllGo()
}

/** Takes a slot and keeps it: behind element, but for the one that is let go alone. */
export function fill({ world, path }: Stage): void {
  const { VARIANT: variant } = __ENV
  const isLone = variant === 'one' && exec.scenario.iterationInTest === 0
  const { headers } = world
  const reply = ask('GET', isLone ? '/api/v2/changes' : path, { op: `${variant}_holder`, headers })
  expect('a request that has a slot is served', reply.ok, reply.status)
}

export function extra({ world, path }: Stage): void {
  const { VARIANT: variant } = __ENV
  const place = exec.scenario.iterationInTest
  if (variant === 'one') sleep(place * apartS)
  const reply = ask('GET', path, { op: `${variant}_extra`, headers: world.headers })
  if (variant === 'one' && place === 0) expect('the slot goes to the oldest', reply.ok, reply.status)
  else expectBusy(reply)
}

export function teardown({ world }: Stage): void {
  for (const proxy of ['element', 'change-feed'] as const) release(proxy)
  closeWorlds([world])
}

export function handleSummary(data: SummaryData) {
  const waits = ['full', 'one'].map((variant) => {
    const [least, most] = ['min', 'max'].map((stat) =>
      figureOf(data, `busy_wait_ms{op:${variant}_extra}`, stat)?.toFixed(1),
    )
    return `${variant}: ${figureOf(data, `busy_503{op:${variant}_extra}`, 'count')} of ${extras} told busy after ${least} to ${most} ms`
  })
  return summarize(data, `slots/exact, ${slots} slots`, waits, { slots, extras })
}

function expectBusy({ busy, status, text, header }: Reply): void {
  expect('who finds no slot is told server_busy', busy, { status, text })
  expect('and when to come again', /^[1-9]\d*$/.test(header('retry-after') ?? ''), header('retry-after'))
}

function expectGauges(when: string, waiting: number): void {
  const found = gauges()
  expect(`${when}: every slot in use, ${waiting} waiting`, found.inUse === slots && found.waiting === waiting, found)
}

function letAllGo(): void {
  release('element')
  const took = until(({ inUse, waiting }) => inUse === 0 && waiting === 0, 5_000)
  expect('all slots are free again', took !== null)
  if (took !== null) emptiedMs.add(took)
}

/** Asks twice a second whether the process lives, which needs no slot. */
function probeUntil(atS: number): void {
  while (secondsGone() < atS) {
    const { status } = ask('GET', `${metricsUrl('gateway')}/livez`, { op: 'livez' })
    expect('/livez answers 200 meanwhile', status === 200, status)
    sleepTo(Math.min(secondsGone() + 0.5, atS))
  }
}

function sleepTo(atS: number): void {
  sleep(Math.max(0, atS - secondsGone()))
}

/** Of this variant. */
function secondsGone(): number {
  return (Date.now() - exec.scenario.startTime) / 1000
}
