import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  /** Seconds per RPC served, by method and outcome: rate, errors and duration in one. */
  readonly rpcServed: Histogram<'method' | 'outcome'>
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const rpcServed = new Histogram({
    name: 'rpc_server_duration_seconds',
    help: 'Time from an RPC arriving to its answer.',
    labelNames: ['method', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return { registry, rpcServed }
}

/** Seconds since the oldest of what waits came, asked for at each scrape; 0 when nothing waits. */
export function watchAge({ registry }: Metrics, name: string, help: string, oldest: () => Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      // A scrape must not fail over what it asks about.
      this.set(await oldest().catch(() => Number.NaN))
    },
  })
}

/** Connections of the pool, and requests that wait for one. */
export function watchPool(
  { registry }: Metrics,
  waiting: () => { total: number; idle: number; waiting: number },
): void {
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections by state; waiting counts requests without one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(waiting())) this.set({ state }, count)
    },
  })
}

/** Bytes of a budget: held, and how many callers wait for some. */
export function watchBudget(
  { registry }: Pick<Metrics, 'registry'>,
  name: string,
  what: string,
  budget: { readonly used: number; readonly waiting: number },
): void {
  const registers = [registry]
  new Gauge({
    name: `${name}_bytes_held`,
    help: `Bytes of ${what} that the process holds.`,
    registers,
    collect() {
      this.set(budget.used)
    },
  })
  new Gauge({
    name: `${name}_bytes_waiting`,
    help: `Requests that wait for room for ${what}.`,
    registers,
    collect() {
      this.set(budget.waiting)
    },
  })
}
