import autocannon from 'autocannon'
import { cpuMs, type Watched } from './cpu'

export interface Figures {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** CPU milliseconds per operation, by process. */
  readonly cpu: Readonly<Record<string, number>>
}

export interface Load {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly connections: number
  /** Requests in turn, each a path with perhaps headers of its own. */
  readonly requests?: readonly { readonly path: string; readonly headers?: Record<string, string> }[]
  readonly seconds: number
}

/** Loads one host and tells what came of it. Throws when a reply was not 2xx. */
export async function measure(load: Load, watched: Watched): Promise<Figures> {
  const before = cpuMs(watched)
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    method: load.method ?? 'GET',
    headers: { 'content-type': 'application/json', ...load.headers },
    ...(load.body === undefined ? {} : { body: load.body }),
    ...(load.requests === undefined
      ? {}
      : {
          requests: load.requests.map(({ path, headers }) => ({
            path,
            headers: { 'content-type': 'application/json', ...load.headers, ...headers },
          })),
        }),
  })
  const after = cpuMs(watched)
  const failed = result.non2xx + result.errors
  if (failed > 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(
      `${failed} of ${result.requests.total} requests to ${load.url} failed: ${statuses}, ${result.errors} errors`,
    )
  }
  const count = result.requests.total
  const cpu = Object.fromEntries(
    Object.keys(watched).map((name) => [name, ((after[name] ?? 0) - (before[name] ?? 0)) / count]),
  )
  return { perSecond: count / result.duration, p50: result.latency.p50, p99: result.latency.p99, cpu }
}

/** The middle of several runs, by rate. */
export function median(runs: readonly Figures[]): Figures {
  const sorted = [...runs].sort((a, b) => a.perSecond - b.perSecond)
  return sorted[Math.floor(sorted.length / 2)] as Figures
}
