import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { type QueueName, queueNames, queuePrefix } from './queues'

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

/** Puts jobs that were given up back, to be tried again as often as new ones. */
export async function retryQueues(url: string, redisPrefix: string): Promise<void> {
  await withQueues(url, redisPrefix, (queue) => queue.retryJobs({ state: 'failed' }))
}

async function withQueues<T>(
  url: string,
  redisPrefix: string,
  work: (queue: Queue, name: QueueName) => Promise<T>,
): Promise<T[]> {
  const connection = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: 5_000 })
  connection.on('error', () => undefined)
  try {
    return await Promise.all(
      queueNames.map((name) => work(new Queue(name, { connection, prefix: queuePrefix(redisPrefix, name) }), name)),
    )
  } finally {
    connection.disconnect()
  }
}
