import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'
import { type PinGuardConfig, readPinGuardConfig } from '@worlds/runtime/pin-guard'
import type { DatabaseConfig } from '@worlds/runtime/postgres'
import { type Pepper, readPeppers } from '@worlds/runtime/secrets'
import type { MailConfig } from './mail/mailer'
import type { RelayConfig } from './relay'
import type { MailLimits } from './store/mail-counts'

export interface Config {
  readonly process: ProcessConfig
  readonly database: DatabaseConfig
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly peppers: readonly Pepper[]
  readonly pinGuard: PinGuardConfig
  readonly elementAddresses: readonly string[]
  readonly maxConnectionAgeMs: number
  readonly relay: RelayConfig
  readonly mail: MailConfig
  readonly mailLimits: MailLimits
  readonly emailTokenLifeMs: number
  /** Base of the links in mails. */
  readonly portalUrl: string
  /** Base of the API, as those who join are told it. */
  readonly apiUrl: string
  /** AI tokens of an account on one day. */
  readonly tokenRating: number
  readonly failpoints: string
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const env = new Environment(environment)
  const peppers = env.list('PEPPERS')
  const smtpUrl = env.text('SMTP_URL', '')
  const portalUrl = env.text('PORTAL_URL', 'http://127.0.0.1:8080/account/')
  const config = {
    process: readProcessConfig(env),
    database: {
      url: env.text('DATABASE_URL'),
      applicationName: 'membership',
      poolSize: env.integer('DATABASE_POOL', 10),
      statementTimeoutMs: env.integer('STATEMENT_TIMEOUT_MS', 10_000),
    },
    redisUrl: env.text('REDIS_URL'),
    redisPrefix: env.text('REDIS_PREFIX', 'worlds'),
    pinGuard: readPinGuardConfig(env),
    elementAddresses: env.list('ELEMENT_ADDRESSES'),
    maxConnectionAgeMs: env.integer('GRPC_MAX_CONNECTION_AGE_MS', 120_000),
    relay: {
      everyMs: env.integer('OUTBOX_EVERY_MS', 3_000),
      leaseMs: env.integer('OUTBOX_LEASE_MS', 10_000),
    },
    mail: {
      smtpUrl,
      from: smtpUrl === '' ? '' : env.text('MAIL_FROM'),
      keep: smtpUrl === '' && env.text('DEV_MAIL', 'false') === 'true',
    },
    mailLimits: {
      perRecipientHour: env.integer('MAILS_PER_RECIPIENT_HOUR', 5),
      perRecipientDay: env.integer('MAILS_PER_RECIPIENT_DAY', 20),
      perAccountDay: env.integer('MAILS_PER_ACCOUNT_DAY', 50),
    },
    emailTokenLifeMs: env.integer('EMAIL_TOKEN_LIFE_MS', 3_600_000),
    portalUrl,
    apiUrl: env.text('API_URL', new URL('/api/v2', portalUrl).href).replace(/\/+$/, ''),
    tokenRating: env.integer('TOKEN_RATING', 10_000),
    failpoints: env.text('FAILPOINTS', ''),
  }
  env.check()
  return { ...config, peppers: readPeppers(peppers) }
}
