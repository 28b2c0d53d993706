/** The two ends of a queue, over BullMQ. */
import { type DefaultJobOptions, Queue, Worker } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import type { Redis } from 'ioredis'
import type { Log } from './log'
import { type Jobs, type QueueName, queuePrefix } from './queues'
import { openRedis } from './redis'

/** Tried for about an hour; then the job stays, for the operator to see. */
const jobOptions: DefaultJobOptions = {
  attempts: 12,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: false,
}

/** A job belongs to the trace of whoever added it. */
const telemetry = new BullMQOtel({ tracerName: 'worlds' })

/** A job to be added, with the trace that it was told of in. */
export interface Told<Name extends QueueName> {
  readonly id: string
  readonly job: Jobs[Name]
  readonly trace: string
}

/** The adding end of a queue: while Redis is away a job is refused, not kept. */
export class Producer<Name extends QueueName> {
  readonly #connection: Redis
  readonly #queue: Queue

  constructor(url: string, redisPrefix: string, name: Name, log: Log) {
    this.#connection = openRedis(url, {
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
      telemetry,
    })
    this.#queue.on('error', (error) => log.debug({ err: error, queue: name }, 'a queue had trouble'))
  }

  /** A job whose id is known already is not added again, a given-up one neither. An id holds no colon. */
  async add(id: string, job: Jobs[Name]): Promise<void> {
    await this.#queue.add(job.kind, job, { jobId: id })
  }

  told(id: string, job: Jobs[Name]): Told<Name> {
    const { contextManager } = telemetry
    return { id, job, trace: contextManager.getMetadata(contextManager.active()) }
  }

  /** In one call. Told again, those that are in already are not added again. */
  async addAll(jobs: readonly Told<Name>[]): Promise<void> {
    await this.#queue.addBulk(
      jobs.map(({ id, job, trace }) => ({
        name: job.kind,
        data: job,
        opts: { jobId: id, telemetry: { metadata: trace } },
      })),
    )
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
    this.#connection = openRedis(url, { maxRetriesPerRequest: null, retryStrategy: (n) => Math.min(n * 50, 1_000) })
    this.#connection.on('error', () => undefined)
    this.#worker = new Worker(name, ({ data }) => handle(data as Jobs[Name]), {
      connection: this.#connection,
      prefix: queuePrefix(redisPrefix, name),
      concurrency,
      telemetry,
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
