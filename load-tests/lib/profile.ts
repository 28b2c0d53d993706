import { trendStats } from './summary.ts'
import { type Op, thresholdsOf } from './thresholds.ts'

/** As profiles/*.json have it. */
export interface Profile {
  readonly about: string
  /** Going from one stage's share to the next's in so many seconds; the first is held from the beginning. */
  readonly stages: readonly { readonly share: number; readonly seconds: number }[]
  /** How long a request may take while there are still virtual users to send the next. */
  readonly patienceS: number
  /** By how much the bounds of times are stretched; null for none. */
  readonly leniency: number | null
  readonly mayBeBusy: boolean
  readonly watchesMemory?: boolean
  readonly endsAtFirstFault?: boolean
}

export const profileName = __ENV.PROFILE || 'smoke'
const profile: Profile = JSON.parse(open(import.meta.resolve(`../profiles/${profileName}.json`)))
const rateFactor = Number(__ENV.RATE_FACTOR || 1)
const timeFactor = Number(__ENV.TIME_FACTOR || 1)

/**
 * Calls `exec` as often as the profile says, however long a call takes: clients do not wait for each other.
 * `perSecond` is what counts as all that two cores carry of it; `fixedUsers`, where each is somebody of its own.
 */
export function arrivals(perSecond: number, exec: string, fixedUsers?: number) {
  const perMinute = (share: number) => Math.max(1, Math.round(share * perSecond * rateFactor * 60))
  const { stages, patienceS } = profile
  const most = Math.max(...stages.map(({ share }) => perMinute(share))) / 60
  const users = fixedUsers ?? Math.ceil(most * patienceS) + 5
  return {
    executor: 'ramping-arrival-rate' as const,
    exec,
    startRate: perMinute(stages[0]?.share ?? 0),
    timeUnit: '60s',
    stages: stages.map(({ share, seconds }) => ({
      target: perMinute(share),
      duration: `${Math.ceil(seconds * timeFactor)}s`,
    })),
    // All from the beginning: whoever is still to be made misses the request that called for it.
    preAllocatedVUs: users,
    maxVUs: users,
    gracefulStop: '30s',
  }
}

export function optionsOf(scenarios: Record<string, ReturnType<typeof arrivals>>, ops: readonly Op[]) {
  const watch = {
    executor: 'constant-arrival-rate' as const,
    exec: 'watch',
    rate: 1,
    timeUnit: '10s',
    duration: `${Math.ceil(profile.stages.reduce((sum, { seconds }) => sum + seconds, 0) * timeFactor)}s`,
    preAllocatedVUs: 1,
    maxVUs: 1,
  }
  return {
    scenarios: { ...scenarios, ...(profile.watchesMemory ? { watch } : {}) },
    thresholds: thresholdsOf(profile, ops),
    summaryTrendStats: trendStats,
    setupTimeout: '120s',
  }
}
