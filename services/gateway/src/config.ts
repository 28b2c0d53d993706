import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'
import { type PinGuardConfig, readPinGuardConfig } from '@worlds/runtime/pin-guard'
import { type Pepper, readPeppers } from '@worlds/runtime/secrets'
import type { BudgetConfig } from './access/budget'
import type { ClientsConfig } from './clients'
import type { CorsConfig } from './http/cors'
import type { SlowClients } from './http/read-body'
import type { SlotConfig } from './http/request-slots'
import type { HttpLimits } from './http/server'

export interface GatewayConfig extends ProcessConfig {
  readonly clients: ClientsConfig
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly peppers: readonly Pepper[]
  readonly slots: SlotConfig
  readonly budget: BudgetConfig
  readonly pins: PinGuardConfig
  readonly limits: HttpLimits
  readonly transfers: TransfersConfig
  readonly cors: CorsConfig
  /** Express's `trust proxy`: whose X-Forwarded-For is believed; empty for nobody's. */
  readonly trustProxy: string
  /** How long what membership said of a key is kept. */
  readonly principalTtlMs: number
  readonly docsUrl: string
  readonly extensionPrefixes: readonly string[]
  /** Shows the mails that were sent, secrets and all, to whoever asks: for development alone. */
  readonly devMail: boolean
}

/** Limits on what is on its way between the process and its clients. */
export interface TransfersConfig {
  /** Bytes of request bodies that are held at once. */
  readonly ingestBytes: number
  /** Bytes of replies that wait for their clients at once. */
  readonly replyBytes: number
  readonly slowClients: SlowClients
}

export function readConfig(variables: Record<string, string | undefined>): GatewayConfig {
  const env = new Environment(variables)
  const process = readProcessConfig(env)
  const config = {
    ...process,
    clients: {
      elementAddresses: env.list('ELEMENT_ADDRESSES'),
      membershipAddresses: env.list('MEMBERSHIP_ADDRESSES'),
      changeFeedAddresses: env.list('CHANGE_FEED_ADDRESSES'),
      fileAddresses: env.list('FILE_ADDRESSES', ' '),
      serviceToken: process.serviceToken,
      tls: process.tls,
      callDeadlineMs: env.integer('CALL_DEADLINE_MS', 20_000),
    },
    redisUrl: env.text('REDIS_URL'),
    redisPrefix: env.text('REDIS_PREFIX', 'worlds'),
    peppers: readPeppers(env.list('PEPPERS')),
    slots: {
      capacity: env.integer('REQUEST_SLOTS', 64),
      waitMs: env.integer('REQUEST_SLOT_WAIT_MS', 10_000),
      queue: env.integer('REQUEST_SLOT_QUEUE', 4_096),
    },
    budget: {
      requests: env.integer('REQUEST_BUDGET', 1_200),
      windowS: env.integer('REQUEST_BUDGET_WINDOW_S', 60),
      unknownPerMinute: env.integer('UNKNOWN_CREDENTIALS_PER_MINUTE', 20),
      unknownTenDigitPerMinute: env.integer('UNKNOWN_TEN_DIGIT_KEYS_PER_MINUTE', 600),
    },
    pins: readPinGuardConfig(env),
    limits: {
      headersTimeoutMs: env.integer('HEADERS_TIMEOUT_MS', 10_000),
      requestTimeoutMs: env.integer('REQUEST_TIMEOUT_MS', 30_000),
      keepAliveTimeoutMs: env.integer('KEEP_ALIVE_TIMEOUT_MS', 65_000),
      maxConnections: env.integer('MAX_CONNECTIONS', 2_000),
    },
    transfers: {
      ingestBytes: env.integer('INGEST_BYTES', 32 << 20),
      replyBytes: env.integer('REPLY_BYTES', 64 << 20),
      slowClients: {
        bytesPerS: env.integer('SLOW_CLIENT_BYTES_PER_S', 8_192),
        overMs: env.integer('SLOW_CLIENT_MS', 10_000),
      },
    },
    cors: { domain: env.text('SERVICE_DOMAIN', ' ').trim(), origins: env.list('CORS_ORIGINS', ' ') },
    trustProxy: env.text('TRUST_PROXY', ' ').trim(),
    principalTtlMs: env.integer('PRINCIPAL_TTL_MS', 30_000),
    docsUrl: env.text('DOCS_URL', 'http://127.0.0.1:8080/api/v2/docs'),
    extensionPrefixes: env.list('EXTENSION_PREFIXES', 'tool_,shadow_,x_'),
    devMail: env.text('DEV_MAIL', 'false') === 'true',
  }
  env.check()
  return config
}
