import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'

export interface ChangeFeedConfig extends ProcessConfig {
  /** A role that reads element's schema and nothing else. */
  readonly databaseUrl: string
  /** A streaming replica of the same; '' for none. */
  readonly replicaUrl: string
  /** How long it may take to serve a poll before the primary does. */
  readonly replicaTimeoutMs: number
  /** How long it is left alone after it has failed. */
  readonly replicaRetryMs: number
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly maxConnectionAgeMs: number
  /** Bytes that large replies take at once. */
  readonly memoryBytes: number
}

export function readConfig(variables: Record<string, string | undefined>): ChangeFeedConfig {
  const env = new Environment(variables)
  const config = {
    ...readProcessConfig(env),
    databaseUrl: env.text('DATABASE_URL'),
    replicaUrl: env.text('DATABASE_REPLICA_URL', ' ').trim(),
    replicaTimeoutMs: env.integer('REPLICA_TIMEOUT_MS', 2_000),
    replicaRetryMs: env.integer('REPLICA_RETRY_MS', 5_000),
    poolSize: env.integer('DATABASE_POOL', 10),
    statementTimeoutMs: env.integer('STATEMENT_TIMEOUT_MS', 15_000),
    memoryBytes: env.integer('MEMORY_BYTES', 32 << 20),
    maxConnectionAgeMs: env.integer('GRPC_MAX_CONNECTION_AGE_MS', 120_000),
  }
  env.check()
  return config
}
