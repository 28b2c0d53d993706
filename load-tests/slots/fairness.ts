/**
 * Whoever has waited longest is next. All slots but one are held throughout; writes wait for that one, and the world's
 * change sequence tells in which order they were let in.
 */
import { sleep } from 'k6'
import exec from 'k6/execution'
import http from 'k6/http'
import { closeWorlds } from '../lib/auth.ts'
import { expect } from '../lib/checks.ts'
import { ask } from '../lib/client.ts'
import { elementOf } from '../lib/data.ts'
import { forLong, freshen, gauges, hold, once, openStage, release, type Stage, slots, until } from '../lib/slots.ts'
import { type SummaryData, summarize, trendStats } from '../lib/summary.ts'

const writers = Number(__ENV.WRITERS || 40)
const [fillAt, writersAt, apartS] = [2, 3.5, 0.1]

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 399 }, 503))

export const options = {
  scenarios: {
    conduct: once('conduct', 1, 0),
    fill: once('fill', slots, fillAt),
    writers: once('write', writers, writersAt),
  },
  thresholds: {
    checks: ['rate==1'],
    other_5xx: ['count==0'],
    no_answer: ['count==0'],
    busy_503: ['count==0'],
    'accepted{op:writer}': [`count==${writers}`],
  },
  summaryTrendStats: trendStats,
}

interface Fair extends Stage {
  readonly head: number
}

export function setup(): Fair {
  const stage = openStage()
  const tip = ask('GET', '/api/v2/changes?head=true', { op: 'prepare', headers: stage.world.headers })
  return { ...stage, head: tip.body.head }
}

export function conduct(stage: Fair): void {
  for (const proxy of ['element', 'change-feed'] as const) {
    freshen(proxy, stage)
    hold(proxy, forLong)
  }
  const withinMs = (writersAt + writers * apartS + 2) * 1000
  expect('all writers wait at once', until(({ waiting }) => waiting === writers, withinMs) !== null, gauges())
  release('element')
  expect('all of them are let in', until(({ waiting }) => waiting === 0, 8_000) !== null, gauges())
  release('change-feed')
  expect('all slots are free again', until(({ inUse }) => inUse === 0, 2_000) !== null, gauges())
}

/** One slot is held by element, which is let go first, and all others by change-feed. */
export function fill({ world, path }: Fair): void {
  const to = exec.scenario.iterationInTest === 0 ? path : '/api/v2/changes'
  expect('a request that has a slot is served', ask('GET', to, { op: 'holder', headers: world.headers }).ok)
}

export function write({ world, head }: Fair): void {
  const place = exec.scenario.iterationInTest
  sleep(place * apartS)
  const reply = ask('POST', '/api/v2/character', { op: 'writer', headers: world.headers, body: elementOf(place) })
  const found = { status: reply.status, change_seq: reply.body?.change_seq, expected: head + 1 + place }
  expect('writes are let in as they came', reply.ok && found.change_seq === found.expected, found)
}

export function teardown({ world }: Fair): void {
  for (const proxy of ['element', 'change-feed'] as const) release(proxy)
  closeWorlds([world])
}

export function handleSummary(data: SummaryData) {
  return summarize(data, `slots/fairness, ${writers} writers, one slot of ${slots} free`, [], { slots, writers })
}
