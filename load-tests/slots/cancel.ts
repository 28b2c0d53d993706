/** Many who wait and then leave: their places are given up, and nobody works for them. */
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { Trend } from 'k6/metrics'
import { closeWorlds } from '../lib/auth.ts'
import { expect } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { forLong, freshen, gauges, hold, once, openStage, release, type Stage, slots, until } from '../lib/slots.ts'
import { figureOf, type SummaryData, summarize, trendStats } from '../lib/summary.ts'

const clients = Number(__ENV.CLIENTS || 500)
/** The clients come from here on, all within `spreadS`, and each leaves after `patienceS`. */
const [fillAt, clientsAt, spreadS, patienceS] = [1.5, 3, 0.5, 2]

const leftMs = new Trend('left_ms', true)

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 399 }, 503))

export const options = {
  scenarios: {
    conduct: once('conduct', 1, 0),
    fill: once('fill', slots, fillAt),
    clients: once('comeAndLeave', clients, clientsAt),
  },
  thresholds: {
    checks: ['rate==1'],
    other_5xx: ['count==0'],
    no_answer: ['count==0'],
    'accepted{op:holder}': [`count==${slots}`],
    'accepted{op:left}': ['count==0'],
    left_ms: ['max<3000'],
  },
  summaryTrendStats: trendStats,
}

export function setup(): Stage {
  return openStage()
}

export function conduct(stage: Stage): void {
  freshen('element', stage)
  hold('element', forLong)
  const goneS = () => (Date.now() - exec.scenario.startTime) / 1000
  const everybodyWaits = until(({ waiting }) => waiting === clients, (clientsAt + patienceS - goneS()) * 1000)
  expect('all clients wait at once', everybodyWaits !== null, gauges())
  sleep(Math.max(0, clientsAt + patienceS - goneS()))
  const took = until(({ waiting }) => waiting === 0, 8_000)
  expect('nobody waits any longer', took !== null, gauges())
  if (took !== null) leftMs.add(took)
  expect('the slots are still held', gauges().inUse === slots, gauges())
  release('element')
  expect('all slots are free again', until(({ inUse }) => inUse === 0, 2_000) !== null, gauges())
  const after = ask('GET', stage.path, { op: 'after', headers: stage.world.headers })
  expect('the next request is served', after.ok, after.status)
}

export function fill({ world, path }: Stage): void {
  expect('a request that has a slot is served', ask('GET', path, { op: 'holder', headers: world.headers }).ok)
}

export function comeAndLeave({ world, path }: Stage): void {
  sleep((exec.scenario.iterationInTest / clients) * spreadS)
  const { status } = ask('GET', path, { op: 'left', headers: world.headers, leavesAfter: `${patienceS}s` })
  expect('who leaves is not answered', status === 0, status)
}

export function teardown({ world }: Stage): void {
  release('element')
  closeWorlds([world])
}

export function handleSummary(data: SummaryData) {
  const took = figureOf(data, 'left_ms', 'max')?.toFixed(0)
  const line = `${clients} clients left after ${patienceS} s; nobody waited ${took} ms after the first of them left`
  return summarize(data, `slots/cancel, ${slots} slots`, [line], { slots, clients })
}
