/** What a row of abuse does to the processes: their memory, their event loops, whether they still run. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { AbusedSystem } from './system'
import { memoryLimitMib, services } from './system'

export interface Observation {
  /** Highest resident memory of each process, in MiB. */
  readonly peakMib: Readonly<Record<string, number>>
  /** Longest time that an event loop stood still, in milliseconds, and of which process. */
  readonly stallMs: number
  readonly stalled: string
  readonly p99Ms: number
  /** Processes that ended. */
  readonly ended: readonly string[]
}

/** Memory that a process may take: 80 % of its limit. */
export const allowedMib = memoryLimitMib * 0.8

export async function beginObserving({ processes }: AbusedSystem): Promise<() => Promise<Observation>> {
  const pids = new Map(services.map((name) => [name, processes.get(name)?.pid ?? 0]))
  // Resets the peak.
  for (const pid of pids.values()) writeFileSync(`/proc/${pid}/clear_refs`, '5')
  await Promise.all(services.map((name) => eventLoopOf(processes.get(name)?.metrics ?? '')))
  return async () => {
    const ended = services.filter((name) => !isRunning(pids.get(name) ?? 0))
    const peakMib = Object.fromEntries(services.map((name) => [name, peakOf(pids.get(name) ?? 0)]))
    let [stallMs, p99Ms, stalled] = [0, 0, '']
    for (const name of services) {
      if (ended.includes(name)) continue
      const { max, p99 } = await eventLoopOf(processes.get(name)?.metrics ?? '')
      p99Ms = Math.max(p99Ms, p99)
      if (max > stallMs) [stallMs, stalled] = [max, name]
    }
    return { peakMib, stallMs, stalled, p99Ms, ended }
  }
}

/** Event-loop delay in milliseconds since the last scrape, which resets it. */
async function eventLoopOf(metrics: string): Promise<{ max: number; p99: number }> {
  const text = await (await fetch(`${metrics}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1] ?? 0) * 1000
  return { max: read('nodejs_eventloop_lag_max_seconds'), p99: read('nodejs_eventloop_lag_p99_seconds') }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
