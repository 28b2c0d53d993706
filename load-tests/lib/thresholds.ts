import type { Profile } from './profile.ts'

/** What 95 and 99 of 100 requests of a kind take at most, in ms, on two cores that generator and system share. */
const bounds: Record<string, readonly [p95: number, p99: number]> = {
  read: [100, 250],
  list: [200, 400],
  search: [200, 400],
  write: [200, 400],
  patch: [200, 400],
  bulk: [500, 1000],
  replay: [200, 400],
  feed: [200, 400],
  ticket: [200, 400],
  upload: [400, 800],
  files: [200, 400],
  download: [200, 400],
}

export type Op = keyof typeof bounds

/** Of a run whose requests are of these kinds. */
export function thresholdsOf(profile: Profile, ops: readonly Op[]) {
  const { leniency, mayBeBusy, endsAtFirstFault = false } = profile
  const bound = (threshold: string) =>
    endsAtFirstFault ? { threshold, abortOnFail: true, delayAbortEval: '10s' } : threshold
  const latency = (op: Op) => {
    const [p95 = 0, p99 = 0] = bounds[op] ?? []
    // Without bounds of its own a kind still gets its line in the summary.
    return leniency === null ? ['max>=0'] : [bound(`p(95)<${p95 * leniency}`), bound(`p(99)<${p99 * leniency}`)]
  }
  return {
    iterations: ['count>0'],
    checks: [bound('rate==1')],
    other_5xx: [bound('count==0')],
    no_answer: [bound('count==0')],
    // Else the generator was measured, not the system.
    dropped_iterations: [bound('count==0')],
    ...(mayBeBusy ? {} : { busy_503: [bound('count==0')] }),
    ...(profile.watchesMemory ? { memory_growth: ['max<1.5'] } : {}),
    ...Object.fromEntries(ops.map((op) => [`http_req_duration{op:${op}}`, latency(op)])),
  }
}
