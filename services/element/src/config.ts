import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'
import type { OutboxConfig } from './outbox-relay'

export interface ElementConfig extends ProcessConfig {
  readonly databaseUrl: string
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly redisUrl: string
  readonly redisPrefix: string
  readonly extensionPrefixes: readonly string[]
  readonly docsUrl: string
  readonly failpoints: string
  readonly maxConnectionAgeMs: number
  /** How long a reply to a keyed request is kept. */
  readonly receiptLifeMs: number
  /** How often closed worlds are looked for whose rows are still there. */
  readonly purgeEveryMs: number
  /** Bytes that large replies and large request bodies take at once. */
  readonly memoryBytes: number
  readonly outbox: OutboxConfig
  readonly idempotencyLeaseMs: number
  readonly idempotencyWaitMs: number
  /** How long Redis keeps a reply to a keyed request; afterwards the receipt in PostgreSQL alone has it. */
  readonly idempotencyRecordMs: number
}

export function readConfig(variables: Record<string, string | undefined>): ElementConfig {
  const env = new Environment(variables)
  const config = {
    ...readProcessConfig(env),
    databaseUrl: env.text('DATABASE_URL'),
    poolSize: env.integer('DATABASE_POOL', 10),
    statementTimeoutMs: env.integer('STATEMENT_TIMEOUT_MS', 15_000),
    redisUrl: env.text('REDIS_URL'),
    redisPrefix: env.text('REDIS_PREFIX', 'worlds'),
    extensionPrefixes: env.list('EXTENSION_PREFIXES', 'tool_,shadow_,x_'),
    docsUrl: env.text('DOCS_URL', 'http://127.0.0.1:8080/api/v2/docs'),
    failpoints: env.text('FAILPOINTS', ' ').trim(),
    maxConnectionAgeMs: env.integer('GRPC_MAX_CONNECTION_AGE_MS', 120_000),
    receiptLifeMs: env.integer('RECEIPT_LIFE_MS', 86_400_000),
    purgeEveryMs: env.integer('PURGE_EVERY_MS', 30_000),
    memoryBytes: env.integer('MEMORY_BYTES', 32 << 20),
    outbox: {
      everyMs: env.integer('OUTBOX_EVERY_MS', 3_000),
      leaseMs: env.integer('OUTBOX_LEASE_MS', 10_000),
    },
    idempotencyLeaseMs: env.integer('IDEMPOTENCY_LEASE_MS', 5_000),
    idempotencyWaitMs: env.integer('IDEMPOTENCY_WAIT_MS', 10_000),
    idempotencyRecordMs: env.integer('IDEMPOTENCY_RECORD_MS', 600_000),
  }
  env.check()
  return config
}
