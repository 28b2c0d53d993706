/**
 * Three times as many requests as the slots can serve, then half as many: how soon all is as before.
 *
 * The row that stands when the rush ends is answered or refused within 10 s, but those who come meanwhile wait behind
 * it. In order of arrival, at a load of L, the last of them is served 10 s / (1 - L) after the rush, which is 20 s here,
 * and the first of them after very nearly 10 s: some may be refused at that edge. After that nobody may be.
 */
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Trend } from 'k6/metrics'
import { closeWorlds } from '../lib/auth.ts'
import { expect } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { constantly, gauges, hold, once, openStage, release, type Stage, slots, slotWaitMs } from '../lib/slots.ts'
import { figureOf, type SummaryData, summarize, trendStats } from '../lib/summary.ts'

const serviceMs = Number(__ENV.SERVICE_MS || 400)
const timeFactor = Number(__ENV.TIME_FACTOR || 1)
const most = slots / (serviceMs / 1000)
const calm = 0.5
const recoveryS = slotWaitMs / 1000 / (1 - calm) + 3

const phases = [
  { phase: 'before', load: calm, seconds: 30 * timeFactor },
  { phase: 'rush', load: 3, seconds: Math.max(15, 60 * timeFactor) },
  { phase: 'recovering', load: calm, seconds: recoveryS },
  { phase: 'after', load: calm, seconds: 30 * timeFactor },
]

const emptyAfterS = new Trend('row_empty_after_s')

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 399 }, 503))

const startOf = (index: number) => phases.slice(0, index).reduce((sum, { seconds }) => sum + seconds, 0)

const arrivals = phases.map(({ phase, load, seconds }, index) => {
  const arriving = { perSecond: load * most, serviceMs, seconds, atS: startOf(index), env: { PHASE: phase } }
  return [phase, constantly('work', arriving)] as const
})

export const options = {
  scenarios: {
    ...Object.fromEntries(arrivals),
    watch: once('watch', 1, startOf(2)),
  },
  thresholds: {
    checks: ['rate==1'],
    other_5xx: ['count==0'],
    no_answer: ['count==0'],
    dropped_iterations: ['count==0'],
    'busy_503{phase:before}': ['count==0'],
    'busy_503{phase:rush}': ['count>0'],
    'busy_503{phase:recovering}': ['count>=0'],
    'busy_503{phase:after}': ['count==0'],
    'accepted_ms{phase:before}': [`p(95)<${1.2 * serviceMs}`],
    'accepted_ms{phase:after}': [`p(95)<${1.2 * serviceMs}`],
    row_empty_after_s: [`max<${recoveryS}`],
  },
  summaryTrendStats: trendStats,
}

export function setup(): Stage {
  const stage = openStage()
  hold('element', serviceMs)
  return stage
}

export function work({ world, path }: Stage): void {
  const tags = { phase: __ENV.PHASE ?? '' }
  const { ok, busy, status } = ask('GET', path, { op: 'work', headers: world.headers, tags })
  expect('a request is served, or told to come again', ok || busy, status)
}

/** Begins with the end of the rush. */
export function watch(): void {
  const goneS = () => (Date.now() - exec.scenario.startTime) / 1000
  while (gauges().waiting > 0 && goneS() < 1.5 * recoveryS) sleep(0.1)
  emptyAfterS.add(goneS())
}

export function teardown({ world }: Stage): void {
  release('element')
  closeWorlds([world])
}

export function handleSummary(data: SummaryData) {
  const lines = phases.map(({ phase, load }) => {
    const read = (metric: string, stat: string) => figureOf(data, `${metric}{phase:${phase}}`, stat) ?? 0
    const p95 =
      phase === 'before' || phase === 'after' ? `, accepted p95 ${read('accepted_ms', 'p(95)').toFixed(0)} ms` : ''
    return `${phase}: ${(load * most).toFixed(1)}/s, ${read('busy_503', 'count')} told busy${p95}`
  })
  lines.push(`nobody waited ${figureOf(data, 'row_empty_after_s', 'max')?.toFixed(1)} s after the rush`)
  return summarize(data, `slots/recovery, ${slots} slots of ${serviceMs} ms`, lines, { slots, serviceMs })
}
