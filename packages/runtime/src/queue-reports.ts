import { Queue } from 'bullmq'
import { Gauge } from 'prom-client'
import type { Metrics } from './metrics'
import { type QueueName, queueNames, queuePrefix } from './queues'
import { openRedis } from './redis'

/** Redis is asked for its version only by who may wait for it. */
const atOnce = { skipVersionCheck: true, skipWaitingForReady: true }

export interface QueueReport {
  readonly name: QueueName
  readonly waiting: number
  readonly active: number
  readonly delayed: number
  readonly failed: number
  /** Given up, the latest first. */
  readonly dead: readonly { readonly id: string; readonly reason: string; readonly job: unknown }[]
}

/** All queues as they stand, for the operator. */
export function readQueues(url: string, redisPrefix: string, shown: number): Promise<QueueReport[]> {
  return withQueues(url, redisPrefix, async (queue, name) => {
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts()
    const dead = (await queue.getFailed(0, shown - 1)).map(({ id = '', failedReason, data }) => ({
      id,
      reason: failedReason,
      job: data as unknown,
    }))
    return { name, waiting, active, delayed, failed, dead }
  })
}

/** Jobs by state, and the age of the oldest that waits, asked for at each scrape. */
export function watchQueues({ registry }: Metrics, url: string, redisPrefix: string): { close(): void } {
  const connection = openRedis(url, { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 2_000 })
  connection.on('error', () => undefined)
  const queues = queueNames.map((name) => {
    const queue = new Queue(name, { connection, prefix: queuePrefix(redisPrefix, name), ...atOnce })
    queue.on('error', () => undefined)
    return { name, queue }
  })
  const registers = [registry]
  const age = new Gauge({
    name: 'queue_oldest_job_age_seconds',
    help: 'Age of the oldest job that waits, by queue; 0 when none does.',
    labelNames: ['queue'],
    registers,
  })
  new Gauge({
    name: 'queue_jobs',
    help: 'Jobs by queue and state; failed ones were given up.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      for (const { name, queue } of queues) {
        try {
          const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed')
          for (const [state, count] of Object.entries(counts)) this.set({ queue: name, state }, count)
          const [oldest] = await queue.getWaiting(0, 0)
          age.set({ queue: name }, oldest === undefined ? 0 : (Date.now() - oldest.timestamp) / 1000)
        } catch {
          // A scrape must not fail while Redis is away: the last figures stay.
        }
      }
    },
  })
  return { close: () => connection.disconnect() }
}

/** Puts jobs that were given up back, to be tried again as often as new ones. */
export async function retryQueues(url: string, redisPrefix: string): Promise<void> {
  await withQueues(url, redisPrefix, (queue) => queue.retryJobs({ state: 'failed' }))
}

async function withQueues<T>(
  url: string,
  redisPrefix: string,
  work: (queue: Queue, name: QueueName) => Promise<T>,
): Promise<T[]> {
  const connection = openRedis(url, { maxRetriesPerRequest: 1, commandTimeout: 5_000 })
  connection.on('error', () => undefined)
  try {
    return await Promise.all(
      queueNames.map((name) => work(new Queue(name, { connection, prefix: queuePrefix(redisPrefix, name) }), name)),
    )
  } finally {
    connection.disconnect()
  }
}
