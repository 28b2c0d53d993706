/**
 * More requests than there are slots to take them. Each takes SERVICE_MS, so that the slots serve slots / SERVICE_MS a
 * second at most; levels from half to three times as many arrive, whatever becomes of those before them. Goodput must
 * not fall when there is too much to do, and nobody waits longer for a slot than the gateway says.
 */
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import { closeWorlds } from '../lib/auth.ts'
import { expect } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { constantly, gauges, hold, openStage, release, type Stage, slots, slotWaitMs } from '../lib/slots.ts'
import { figureOf, type SummaryData, summarize, trendStats } from '../lib/summary.ts'

const serviceMs = Number(__ENV.SERVICE_MS || 400)
const timeFactor = Number(__ENV.TIME_FACTOR || 1)
/** What the slots can serve in a second. */
const most = slots / (serviceMs / 1000)

/**
 * Of `most`, and for how long. The row of those who wait is as long as the gateway lets them wait after
 * 10 s / (load - 1), and 10 s later the first are refused: a level must last longer than that to show it.
 */
const levels = [
  { load: 0.5, seconds: 60 },
  { load: 0.9, seconds: 60 },
  { load: 1.1, seconds: 150 },
  { load: 1.5, seconds: 90 },
  { load: 3, seconds: 60 },
].map(({ load, seconds }) => ({ load, seconds: Math.ceil(seconds * timeFactor), level: String(load) }))

/** Between two levels: whoever still waits has been answered by then. */
const pauseS = 12

/** Served while requests still arrived at that level. */
const inTime = new Counter('served_in_time')
const firstBusyS = new Trend('busy_after_s')
const waiting = new Trend('slots_waiting')

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 399 }, 503))

const startOf = (index: number) => levels.slice(0, index).reduce((sum, { seconds }) => sum + seconds + pauseS, 1)
const totalS = startOf(levels.length)

const arrivals = levels.map(({ load, level, seconds }, index) => {
  const env = { LEVEL: level, SECONDS: String(seconds) }
  const scenario = constantly('work', { perSecond: load * most, serviceMs, seconds, atS: startOf(index), env })
  return [`load_${level.replace('.', '_')}`, scenario] as const
})

export const options = {
  scenarios: {
    ...Object.fromEntries(arrivals),
    watch: {
      executor: 'constant-vus' as const,
      exec: 'watch',
      vus: 1,
      duration: `${totalS}s`,
    },
  },
  thresholds: {
    checks: ['rate==1'],
    other_5xx: ['count==0'],
    no_answer: ['count==0'],
    dropped_iterations: ['count==0'],
    ...Object.fromEntries(levels.flatMap(thresholdsOf)),
  },
  summaryTrendStats: trendStats,
}

function thresholdsOf({ load, level, seconds }: (typeof levels)[number]) {
  // Twice a minute the gateway opens a new stream to element, and waits for that as for any answer: once or twice S.
  const longest = 3 * serviceMs + (load < 1 ? 0 : slotWaitMs)
  const least = Math.floor((load > 2 ? 0.9 : 0.95) * Math.min(load, 1) * most * seconds)
  return [
    [`served_in_time{level:${level}}`, [`count>=${least}`]],
    [`accepted_ms{level:${level}}`, [`p(99)<${longest}`]],
    [`busy_503{level:${level}}`, [load < 1 ? 'count==0' : 'count>=0']],
    [`accepted{level:${level}}`, ['count>=0']],
    [`busy_wait_ms{level:${level}}`, load < 1 ? [] : ['max<=10300']],
    [`busy_after_s{level:${level}}`, []],
    [`slots_waiting{level:${level}}`, []],
  ].map(([name, bounds]) => [name, bounds] as [string, string[]])
}

export function setup(): Stage {
  const stage = openStage()
  hold('element', serviceMs)
  return stage
}

export function work({ world, path }: Stage): void {
  const tags = { level: __ENV.LEVEL ?? '' }
  const { ok, busy, status, ms } = ask('GET', path, { op: 'work', headers: world.headers, tags })
  const atS = (Date.now() - exec.scenario.startTime) / 1000
  expect('a request is served, or told to come again', ok || busy, status)
  if (ok && atS <= Number(__ENV.SECONDS)) inTime.add(1, tags)
  if (busy) expect('nobody is refused before the time is up', ms >= slotWaitMs - 200, ms)
  if (busy) firstBusyS.add(atS, tags)
}

/** How many wait, once a second; between levels, of neither. */
export function watch(): void {
  const atS = (Date.now() - exec.scenario.startTime) / 1000
  const current = levels.find(({ seconds }, index) => atS >= startOf(index) && atS < startOf(index) + seconds)
  if (current !== undefined) waiting.add(gauges().waiting, { level: current.level })
  sleep(1)
}

export function teardown({ world }: Stage): void {
  release('element')
  closeWorlds([world])
}

export function handleSummary(data: SummaryData) {
  const lines = ['load     /s   served /s  of N/S   503   accepted p50    p99   first 503 at   most waiting']
  const rows = levels.map(({ load, level, seconds }) => {
    const read = (metric: string, stat: string) => figureOf(data, `${metric}{level:${level}}`, stat)
    const served = (read('served_in_time', 'count') ?? 0) / seconds
    const [busy, accepted] = [read('busy_503', 'count') ?? 0, read('accepted', 'count') ?? 0]
    return {
      load,
      perSecond: load * most,
      servedPerSecond: served,
      ofMost: served / most,
      busyShare: busy / (busy + accepted),
      acceptedP50: read('accepted_ms', 'med') ?? 0,
      acceptedP99: read('accepted_ms', 'p(99)') ?? 0,
      firstBusyAt: read('busy_after_s', 'min') || null,
      mostWaiting: read('slots_waiting', 'max') ?? 0,
    }
  })
  for (const row of rows) {
    const cells: [string | number, number][] = [
      [row.load, 4],
      [row.perSecond.toFixed(1), 7],
      [row.servedPerSecond.toFixed(2), 12],
      [row.ofMost.toFixed(3), 8],
      [`${(row.busyShare * 100).toFixed(0)} %`, 6],
      [`${(row.acceptedP50 / 1000).toFixed(2)} s`, 15],
      [`${(row.acceptedP99 / 1000).toFixed(2)} s`, 9],
      [row.firstBusyAt === null ? '-' : `${row.firstBusyAt.toFixed(1)} s`, 13],
      [row.mostWaiting, 14],
    ]
    lines.push(cells.map(([cell, width]) => String(cell).padStart(width)).join(''))
  }
  const measuredMs = figureOf(data, 'accepted_ms{level:0.5}', 'avg') ?? 0
  lines.push(
    `a request that does not wait takes ${measuredMs.toFixed(0)} ms: ${((slots * 1000) / measuredMs).toFixed(2)}/s`,
  )
  return summarize(data, `slots/overload, ${slots} slots of ${serviceMs} ms`, lines, { slots, serviceMs, levels: rows })
}
