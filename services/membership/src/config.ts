import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'
import { type PinGuardConfig, readPinGuardConfig } from '@worlds/runtime/pin-guard'
import type { DatabaseConfig } from '@worlds/runtime/postgres'
import { type Pepper, readPeppers } from '@worlds/runtime/secrets'
import type { RelayConfig } from './relay'

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
  readonly imageBytesCap: number
  readonly failpoints: string
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const env = new Environment(environment)
  const peppers = env.list('PEPPERS')
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
    maxConnectionAgeMs: env.integer('MAX_CONNECTION_AGE_MS', 120_000),
    relay: {
      everyMs: env.integer('OUTBOX_EVERY_MS', 3_000),
      leaseMs: env.integer('OUTBOX_LEASE_MS', 10_000),
    },
    imageBytesCap: env.integer('IMAGE_BYTES_CAP', 1_073_741_824),
    failpoints: env.text('FAILPOINTS', ''),
  }
  env.check()
  return { ...config, peppers: readPeppers(peppers) }
}
