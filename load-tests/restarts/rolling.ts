/**
 * While every process is restarted in turn (run.sh sees to that), nothing is lost: what is tried again at another
 * replica is answered, and written once. Writes without a key cannot be tried again; how many fail is shown.
 */
import exec from 'k6/execution'
import { closeWorlds } from '../lib/auth.ts'
import { fillWorlds } from '../lib/operations.ts'
import { gateways, patienceMs, tableOf, thresholdsOfPersistent, uploadHosts } from '../lib/persistent.ts'
import { figureOf, type SummaryData, summarize, trendStats } from '../lib/summary.ts'
import { audit, thresholdsOfAudit } from './audit.ts'
import * as clients from './clients.ts'
import { type Stage, untilToldToEnd } from './ending.ts'

// k6 calls only what the script itself exports.
export const follow = untilToldToEnd(clients.follow)
export const reads = untilToldToEnd(clients.reads)
export const upload = untilToldToEnd(clients.upload)
export const write = untilToldToEnd(clients.write)
export const writeUnkeyed = untilToldToEnd(clients.writeUnkeyed)

const seconds = Number.parseInt(__ENV.DURATION || '75', 10)
const factor = Number(__ENV.RATE_FACTOR || 1)
const ops = ['read', 'list', 'account', 'feed', 'write', 'read back', 'ticket', 'upload', 'files'] as const
const rates = { reads: 30, follow: 10, write: 10, writeUnkeyed: 20, upload: 3 }

const shown = [...clients.unkeyedEnds.map((end) => `unkeyed_failed{end:${end}}`), 'unkeyed_sent', 'unpromised']

export const options = {
  scenarios: Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, constantly(name, rate * factor)])),
  thresholds: {
    checks: ['rate==1'],
    // Else the generator was measured, not the system.
    dropped_iterations: ['count==0'],
    ...thresholdsOfPersistent(ops),
    ...thresholdsOfAudit,
    ...Object.fromEntries(shown.map((name) => [name, ['count>=0']])),
  },
  summaryTrendStats: trendStats,
  setupTimeout: '120s',
  teardownTimeout: '120s',
}

/** At that rate however long each takes: clients do not wait for each other, nor for a service to be back. */
function constantly(exec: string, perSecond: number) {
  // As many as begin while half of a client's patience lasts: so long may all of them wait at once.
  const users = Math.ceil((perSecond * patienceMs) / 2_000) + 5
  return {
    executor: 'constant-arrival-rate' as const,
    exec,
    rate: Math.round(perSecond * 60),
    timeUnit: '60s',
    duration: `${seconds}s`,
    preAllocatedVUs: users,
    maxVUs: users,
    // Longer than a client's patience with each of the requests of an iteration.
    gracefulStop: '60s',
  }
}

export function setup(): Stage {
  if (uploadHosts.length === 0) exec.test.abort('UPLOAD_URLS must name the upload hosts')
  // Several: a world's calls go to one of the replicas of element.
  return { worlds: fillWorlds(Number(__ENV.WORLDS || 4), 50) }
}

export function teardown({ worlds }: Stage): void {
  audit(worlds)
  closeWorlds(worlds)
}

export function handleSummary(data: SummaryData) {
  const count = (name: string, stat = 'count') => figureOf(data, name, stat) ?? 0
  const ends = clients.unkeyedEnds.map((end) => `${count(`unkeyed_failed{end:${end}}`)} ${end}`).join(', ')
  const found = count('unkeyed_found', 'value')
  return summarize(
    data,
    `restarts, ${gateways.length} of every service`,
    [...tableOf(data, ops), `unkeyed: ${count('unkeyed_sent')} sent, failed: ${ends}; ${found} are there`],
    { seconds, factor, gateways: gateways.length },
  )
}
