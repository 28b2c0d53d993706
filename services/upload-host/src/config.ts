import { Environment, type HostConfig, readHostConfig } from '@worlds/runtime/config'
import { type ObjectStoreConfig, readObjectStoreConfig } from '@worlds/storage/object-store'
import { readPublicKeys, TicketReader } from '@worlds/storage/tickets'

export interface Config {
  readonly process: HostConfig
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly objects: ObjectStoreConfig
  readonly tickets: TicketReader
  readonly limits: Limits
  /** Where bodies are kept that memory has no room for, and zips until they are judged; made when it is not there. */
  readonly directory: string
  readonly failpoints: string
}

export interface Limits {
  /** How long one body may take to arrive. */
  readonly bodyMs: number
  /** How long the store may take to take it. */
  readonly putMs: number
  /** A claim that nobody renews for so long is anybody's; of a short file that was never renewed, after `putMs` more. */
  readonly leaseMs: number
  /** How long what a request has left behind is tried again: a claim to be given back, a report. */
  readonly afterwardsMs: number
  readonly atOnce: number
  /** What bodies may take of the memory, all together; others are kept on disk until they are put. */
  readonly memoryBytes: number
}

export function readConfig(variables: Record<string, string | undefined>): Config {
  const env = new Environment(variables)
  const publicKeys = env.list('TICKET_PUBLIC_KEYS', ' ')
  const config = {
    process: readHostConfig(env),
    redisUrl: env.text('REDIS_URL'),
    redisPrefix: env.text('REDIS_PREFIX', 'worlds'),
    objects: readObjectStoreConfig(env),
    limits: {
      bodyMs: env.integer('UPLOAD_BODY_MS', 120_000),
      putMs: env.integer('UPLOAD_PUT_MS', 60_000),
      leaseMs: env.integer('UPLOAD_LEASE_MS', 15_000),
      afterwardsMs: env.integer('UPLOAD_AFTERWARDS_MS', 60_000),
      atOnce: env.integer('UPLOADS_AT_ONCE', 100),
      memoryBytes: env.integer('UPLOAD_MEMORY_MIB', 128) * 1_048_576,
    },
    directory: env.text('UPLOAD_DIR', '/tmp/worlds-uploads'),
    failpoints: env.text('FAILPOINTS', ' ').trim(),
  }
  env.require(config.limits.putMs > 0, 'UPLOAD_PUT_MS is not more than 0')
  env.check()
  return { ...config, tickets: new TicketReader(readPublicKeys(publicKeys)) }
}
