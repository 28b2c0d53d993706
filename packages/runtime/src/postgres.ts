import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Log } from './log'

export type Row = (string | null)[]

/** Everything arrives as text: bodies pass through unparsed, and int8 is read by `toInteger`. */
const asText = { getTypeParser: () => (value: string | null) => value }

export interface Statement {
  /** Names the prepared statement; statements whose text varies have none. */
  readonly name?: string
  readonly text: string
}

const statements = new Map<string, Statement>()

/** Names a statement whose text varies by its text: PostgreSQL keeps names of 63 bytes apart, and no longer ones. */
export function nameByText(text: string): Statement {
  let statement = statements.get(text)
  if (statement === undefined) {
    statement = { name: `by-text-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`, text }
    statements.set(text, statement)
  }
  return statement
}

export interface Database {
  rows(statement: Statement, values: unknown[]): Promise<Row[]>
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  waiting(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export type Transaction = Pick<Database, 'rows'>

export interface DatabaseConfig {
  readonly url: string
  readonly applicationName: string
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs?: number
}

export function createDatabase(config: DatabaseConfig, log: Log): Database {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.poolSize,
    application_name: config.applicationName,
    statement_timeout: config.statementTimeoutMs,
    // Should the server not even say that a statement took too long.
    query_timeout: config.statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: config.statementTimeoutMs,
    connectionTimeoutMillis: config.connectTimeoutMs ?? 8_000,
    keepAlive: true,
    options: '-c timezone=UTC',
  })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection failed'))

  return {
    rows: (statement, values) => query(pool, statement, values),
    async transaction(work) {
      const client = await pool.connect()
      let broken: Error | undefined
      // A connection that is cut tells its client too; who is asking hears of it by the failed query.
      const onError = (error: Error) => {
        broken = error
      }
      client.on('error', onError)
      try {
        await client.query('begin')
        const result = await work({ rows: (statement, values) => query(client, statement, values) })
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch(onError)
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    waiting: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

async function query(client: pg.Pool | pg.PoolClient, statement: Statement, values: unknown[]): Promise<Row[]> {
  const result = await client.query({ ...statement, values, rowMode: 'array', types: asText })
  return result.rows
}

/** int8 and int4 as a number; the service's counters stay below 2^53. */
export function toInteger(value: string | null | undefined): number {
  const number = Number(value)
  if (value === null || value === undefined || !Number.isSafeInteger(number))
    throw new Error(`not a safe integer: ${value}`)
  return number
}

/** SQLSTATE of a database error; undefined when the error is not one of the database's. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** `2026-07-18 11:09:57.9+00` as PostgreSQL prints it to `2026-07-18T11:09:57.900000+00:00`. */
export function toTimestamp(text: string): string {
  const plus = text.indexOf('+', 19)
  const fraction = text.slice(20, plus)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}+00:00`
}
