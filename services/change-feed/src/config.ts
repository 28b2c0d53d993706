import { Environment, type ProcessConfig, readProcessConfig } from '@worlds/runtime/config'

export interface ChangeFeedConfig extends ProcessConfig {
  /** A role that reads element's schema and nothing else; may point at a replica. */
  readonly databaseUrl: string
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly maxConnectionAgeMs: number
}

export function readConfig(variables: Record<string, string | undefined>): ChangeFeedConfig {
  const env = new Environment(variables)
  const config = {
    ...readProcessConfig(env),
    databaseUrl: env.text('DATABASE_URL'),
    poolSize: env.integer('DATABASE_POOL', 10),
    statementTimeoutMs: env.integer('STATEMENT_TIMEOUT_MS', 15_000),
    maxConnectionAgeMs: env.integer('GRPC_MAX_CONNECTION_AGE_MS', 120_000),
  }
  env.check()
  return config
}
