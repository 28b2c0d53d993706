/** A queue as its consumer would find it. */
import { type QueueName, queuePrefix } from '@worlds/runtime/queues'
import type { System } from '@worlds/testkit/system'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'

export interface WaitingJob {
  readonly id: string
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  readonly data: any
}

export interface WaitingJobs {
  /** In the order they were added. */
  all(): Promise<WaitingJob[]>
  /** As a consumer does when it is done with a job. */
  take(id: string): Promise<void>
  close(): Promise<void>
}

export function waitingJobs(system: Pick<System, 'redisUrl' | 'redisPrefix'>, name: QueueName): WaitingJobs {
  const connection = new Redis(system.redisUrl, { maxRetriesPerRequest: null })
  const queue = new Queue(name, { connection, prefix: queuePrefix(system.redisPrefix, name) })
  return {
    async all() {
      const jobs = await queue.getJobs(['waiting'], 0, -1, true)
      return jobs.map(({ id = '', name, data }) => ({ id, name, data }))
    },
    async take(id) {
      await queue.remove(id)
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}

/** A queue whose jobs can be held back from their consumer, as if nobody had told it yet. */
export function pausedQueue(system: Pick<System, 'redisUrl' | 'redisPrefix'>, name: QueueName) {
  const connection = new Redis(system.redisUrl, { maxRetriesPerRequest: null })
  const queue = new Queue(name, { connection, prefix: queuePrefix(system.redisPrefix, name) })
  return {
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    add: (job: object) => queue.add('added', job),
    /** As if Redis had lost them. */
    forget: () => queue.drain(),
    waiting: async () => queue.getJobCountByTypes('waiting', 'active', 'delayed', 'failed'),
    async close() {
      await queue.resume()
      await queue.close()
      connection.disconnect()
    },
  }
}
