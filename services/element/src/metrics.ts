import type { Metrics } from '@worlds/runtime/metrics'
import { Counter, Histogram } from 'prom-client'
import type { QueueMetrics } from './write/commit-world'

export function createQueueMetrics({ registry }: Metrics): QueueMetrics {
  const registers = [registry]
  const size = new Histogram({
    name: 'element_group_commit_writes',
    help: 'Writes that one commit carried.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers,
  })
  const duration = new Histogram({
    name: 'element_group_commit_seconds',
    help: 'Time of one commit in the database.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  const waited = new Histogram({
    name: 'element_group_commit_wait_seconds',
    help: 'Time that a write waited for the commit it became part of to begin.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const lost = new Counter({
    name: 'element_group_commit_lost_total',
    help: 'Batches decided again because the world had moved.',
    registers,
  })
  return {
    committed(writes, seconds) {
      size.observe(writes)
      duration.observe(seconds)
    },
    lost: () => lost.inc(),
    waited: (seconds) => waited.observe(seconds),
  }
}

/** Told how many rows a batch of the purge has removed. */
export function createPurgeMetrics({ registry }: Metrics): (rows: number) => void {
  const purged = new Counter({
    name: 'element_purged_rows_total',
    help: 'Rows of deleted worlds removed.',
    registers: [registry],
  })
  return (rows) => purged.inc(rows)
}
