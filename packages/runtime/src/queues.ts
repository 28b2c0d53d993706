/** Queues that services hand work to each other by, over Redis. A job is told at least once. */
import { type DefaultJobOptions, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type { Log } from './log'

/** What each queue carries, by its name. */
export interface Jobs {
  /** From the upload host: bytes were stored, or an image was removed; or a room is missing its books. */
  'file-stored': StoredFile | StoredImage | RemovedImage | MissingRoom
  /** From element: what was deleted, each with the place of its tombstone. */
  'element-deleted': DeletedElements | DeletedWorld
  /** From membership. */
  'account-deleted': DeletedAccount
}

export type QueueName = keyof Jobs

export interface StoredFile {
  readonly kind: 'file'
  readonly worldId: string
  /** The file's id, which is its ticket's too. */
  readonly id: string
  readonly bytes: number
}

export interface StoredImage extends Omit<StoredFile, 'kind'> {
  readonly kind: 'image'
  readonly key: string
}

export interface RemovedImage {
  readonly kind: 'removal'
  readonly worldId: string
  readonly key: string
}

export interface MissingRoom {
  readonly kind: 'room'
  readonly room: string
}

export interface DeletedElements {
  readonly kind: 'elements'
  readonly worldId: string
  readonly elements: readonly { readonly id: string; readonly place: number }[]
}

export interface DeletedWorld {
  readonly kind: 'world'
  readonly worldId: string
}

export interface DeletedAccount {
  readonly kind: 'account'
  readonly accountId: string
}

export const queueNames: readonly QueueName[] = ['file-stored', 'element-deleted', 'account-deleted']

/** All keys of one queue are in one hash slot. */
export function queuePrefix(redisPrefix: string, name: QueueName): string {
  return `${redisPrefix}:{${name}}`
}

/** Tried for about an hour; then the job stays, for the operator to see. */
const jobOptions: DefaultJobOptions = {
  attempts: 12,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: false,
}

/** The adding end of a queue: while Redis is away a job is refused, not kept. */
export class Producer<Name extends QueueName> {
  readonly #connection: Redis
  readonly #queue: Queue

  constructor(url: string, redisPrefix: string, name: Name, log: Log) {
    this.#connection = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 3_000,
      connectTimeout: 2_000,
      retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    })
    // Whoever adds a job hears that Redis is away; ioredis must not end the process over it.
    this.#connection.on('error', () => undefined)
    this.#queue = new Queue(name, {
      connection: this.#connection,
      prefix: queuePrefix(redisPrefix, name),
      defaultJobOptions: jobOptions,
      skipWaitingForReady: true,
      // Asked before the connection stands, the version would be refused, and with it every job from then on.
      skipVersionCheck: true,
    })
    this.#queue.on('error', (error) => log.debug({ err: error, queue: name }, 'a queue had trouble'))
  }

  /** A job whose id is known already is not added again, a given-up one neither. An id holds no colon. */
  async add(id: string, job: Jobs[Name]): Promise<void> {
    await this.#queue.add(job.kind, job, { jobId: id })
  }

  /** Of work that whoever needs it asks for again: tried once, and never in its own way. */
  async ask(id: string, job: Jobs[Name]): Promise<void> {
    await this.#queue.add(job.kind, job, { jobId: id, attempts: 1, removeOnFail: true })
  }

  async close(): Promise<void> {
    await this.#queue.close().catch(() => undefined)
    this.#connection.disconnect()
  }
}

/** The taking end of a queue. A job whose handling throws is tried again later. */
export class Consumer<Name extends QueueName> {
  readonly #connection: Redis
  readonly #worker: Worker

  constructor(
    url: string,
    redisPrefix: string,
    name: Name,
    handle: (job: Jobs[Name]) => Promise<void>,
    log: Log,
    concurrency: number,
  ) {
    this.#connection = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: (n) => Math.min(n * 50, 1_000) })
    this.#connection.on('error', () => undefined)
    this.#worker = new Worker(name, ({ data }) => handle(data as Jobs[Name]), {
      connection: this.#connection,
      prefix: queuePrefix(redisPrefix, name),
      concurrency,
    })
    this.#worker.on('error', (error) => log.debug({ err: error, queue: name }, 'a queue had trouble'))
    this.#worker.on('failed', (job, error) => {
      const facts = { err: error, queue: name, job: job?.id, attempt: job?.attemptsMade }
      if (job !== undefined && job.attemptsMade < (job.opts.attempts ?? 1)) log.warn(facts, 'a job failed')
      else log.error(facts, 'a job was given up')
    })
  }

  /** Resolves once the jobs under way have ended. */
  async close(): Promise<void> {
    await this.#worker.close()
    this.#connection.disconnect()
  }
}

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
export async function readQueues(url: string, redisPrefix: string, shown: number): Promise<QueueReport[]> {
  const connection = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: 5_000 })
  connection.on('error', () => undefined)
  try {
    return await Promise.all(
      queueNames.map(async (name) => {
        const queue = new Queue(name, { connection, prefix: queuePrefix(redisPrefix, name) })
        const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts()
        const dead = (await queue.getFailed(0, shown - 1)).map(({ id = '', failedReason, data }) => ({
          id,
          reason: failedReason,
          job: data as unknown,
        }))
        return { name, waiting, active, delayed, failed, dead }
      }),
    )
  } finally {
    connection.disconnect()
  }
}
