import { readdirSync, readFileSync } from 'node:fs'

/** Processes by name; a name may stand for a process with all its children. */
export type Watched = Readonly<Record<string, { readonly pid: number; readonly withChildren?: boolean }>>

const ticksPerSecond = 100

/** CPU milliseconds that each has used so far. */
export function cpuMs(watched: Watched): Record<string, number> {
  const parents = new Map(pids().map((pid) => [pid, stat(pid)?.parent]))
  return Object.fromEntries(
    Object.entries(watched).map(([name, { pid, withChildren }]) => {
      const all = withChildren
        ? [pid, ...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child)]
        : [pid]
      return [name, all.reduce((sum, one) => sum + (stat(one)?.ticks ?? 0), 0) * (1000 / ticksPerSecond)]
    }),
  )
}

/** Resident memory in MiB. */
export function residentMib(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) / 1024
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function stat(pid: number): { parent: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return null
  }
}
