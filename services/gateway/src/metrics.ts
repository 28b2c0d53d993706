import type { Server } from 'node:http'
import type { ByteBudget } from '@worlds/runtime/byte-budget'
import { type Metrics, watchBudget } from '@worlds/runtime/metrics'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { FinalAnswer } from './http/answer'

export interface RouteMetrics {
  /** Call the result with the status once the answer is sent. */
  readonly served: Histogram<'method' | 'route' | 'status'>
  answered(answer: FinalAnswer): void
}

export function createRouteMetrics({ registry }: Metrics): RouteMetrics {
  const registers = [registry]
  const served = new Histogram({
    name: 'http_server_duration_seconds',
    help: 'Time from a request being matched to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const refusals = new Counter({
    name: 'http_refusals_total',
    help: 'Requests refused, by code: rate_limited is a PIN locked out, too_many_requests a spent budget.',
    labelNames: ['code'],
    registers,
  })
  const replays = new Counter({
    name: 'idempotent_replays_total',
    help: 'Requests answered with the stored reply to an earlier one.',
    registers,
  })
  return {
    served,
    answered(answer) {
      if (answer.kind === 'refusal') refusals.inc({ code: answer.refusal.code })
      else if (answer.kind === 'reply' && answer.headers?.['idempotent-replay'] !== undefined) replays.inc()
    },
  }
}

/** What is on its way between the process and its clients. */
export function watchTransfers(metrics: Metrics, server: Server, ingest: ByteBudget, replies: ByteBudget): void {
  const registers = [metrics.registry]
  watchBudget(metrics, 'reply', 'replies on their way', replies)
  watchBudget(metrics, 'ingest', 'request bodies', ingest)
  new Gauge({
    name: 'http_server_connections',
    help: 'Open connections.',
    registers,
    async collect() {
      this.set(await new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))))
    },
  })
}
