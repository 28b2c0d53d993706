import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'
import type { DatabaseConfig } from '@worlds/runtime/postgres'
import { type Pepper, readPeppers } from '@worlds/runtime/secrets'
import { type ObjectStoreConfig, readObjectStoreConfig } from '@worlds/storage/object-store'
import { readSigningKey, type SigningKey } from '@worlds/storage/tickets'

export interface Config {
  readonly process: ProcessConfig
  readonly database: DatabaseConfig
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly elementAddresses: readonly string[]
  readonly maxConnectionAgeMs: number
  readonly objects: ObjectStoreConfig
  readonly uploads: UploadConfig
  readonly downloads: DownloadConfig
  readonly quotas: QuotaConfig
  readonly settling: SettlingConfig
  /** What the images of one account may take. */
  readonly imageBytesCap: number
  readonly failpoints: string
}

export interface UploadConfig {
  /** Null, as an empty `url`, while uploads are not configured. */
  readonly signingKey: SigningKey | null
  /** Address of the upload host, as clients reach it: its `/v1/upload`. */
  readonly url: string
  readonly ticketLifeMs: number
  /** How long the upload host may be at one upload, its put included; for longer than a ticket lives. */
  readonly graceMs: number
}

export interface DownloadConfig {
  readonly port: number
  /** As clients reach the download host; empty for its own address. */
  readonly url: string
  readonly linkLifeMs: number
  /** Replies under way at once. */
  readonly atOnce: number
  readonly secrets: readonly Pepper[]
}

export interface QuotaConfig {
  readonly fileTickets: number
  readonly fileWindowMs: number
  readonly imageTickets: number
}

export interface SettlingConfig {
  readonly everyMs: number
  readonly leaseMs: number
  /** How long rows without bytes are kept. */
  readonly forgetAfterMs: number
}

export function readConfig(variables: Record<string, string | undefined>): Config {
  const env = new Environment(variables)
  const secrets = env.list('LINK_SECRETS')
  const signingKey = env.text('TICKET_SIGNING_KEY', ' ').trim()
  const config = {
    process: readProcessConfig(env),
    database: {
      url: env.text('DATABASE_URL'),
      applicationName: 'file',
      poolSize: env.integer('DATABASE_POOL', 10),
      statementTimeoutMs: env.integer('STATEMENT_TIMEOUT_MS', 10_000),
    },
    redisUrl: env.text('REDIS_URL'),
    redisPrefix: env.text('REDIS_PREFIX', 'worlds'),
    elementAddresses: env.list('ELEMENT_ADDRESSES'),
    maxConnectionAgeMs: env.integer('GRPC_MAX_CONNECTION_AGE_MS', 120_000),
    objects: readObjectStoreConfig(env),
    quotas: {
      fileTickets: env.integer('FILE_TICKETS', 200),
      fileWindowMs: env.integer('FILE_TICKETS_WINDOW_MS', 86_400_000),
      imageTickets: env.integer('IMAGE_TICKETS', 200),
    },
    settling: {
      everyMs: env.integer('SETTLE_EVERY_MS', 10_000),
      leaseMs: env.integer('SETTLE_LEASE_MS', 30_000),
      forgetAfterMs: env.integer('FORGET_AFTER_MS', 86_400_000),
    },
    imageBytesCap: env.integer('IMAGE_BYTES_CAP', 1_073_741_824),
    failpoints: env.text('FAILPOINTS', ' ').trim(),
  }
  const uploads = {
    url: env.text('UPLOAD_URL', ' ').trim(),
    ticketLifeMs: env.integer('TICKET_LIFE_MS', 600_000),
    graceMs: env.integer('UPLOAD_GRACE_MS', 240_000),
  }
  const downloads = {
    port: env.integer('DOWNLOAD_PORT', 0),
    url: env.text('FILES_URL', ' ').trim().replace(/\/+$/, ''),
    linkLifeMs: env.integer('LINK_LIFE_MS', 300_000),
    atOnce: env.integer('DOWNLOADS_AT_ONCE', 256),
  }
  const { fileWindowMs } = config.quotas
  const settledMs = uploads.ticketLifeMs + uploads.graceMs
  env.require(uploads.ticketLifeMs < 3_600_000, 'TICKET_LIFE_MS is an hour or more')
  env.require(
    config.settling.forgetAfterMs > settledMs,
    'FORGET_AFTER_MS is not longer than a ticket and UPLOAD_GRACE_MS',
  )
  env.require(config.settling.forgetAfterMs >= fileWindowMs, 'FORGET_AFTER_MS is shorter than FILE_TICKETS_WINDOW_MS')
  env.require(uploads.url === '' || uploads.url.endsWith('/v1/upload'), 'UPLOAD_URL does not end in /v1/upload')
  env.check()
  return {
    ...config,
    uploads: { ...uploads, signingKey: readSigningKey(signingKey) },
    downloads: { ...downloads, secrets: readPeppers(secrets) },
  }
}
