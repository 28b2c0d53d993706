import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@worlds/testkit/paths'
import { databaseUrl, testServers } from '@worlds/testkit/test-servers'
import pg from 'pg'

/** Tables of these schemas can be spread over many servers by their world, or they would have to be rewritten first. */
const schemas = ['element', 'file']

/** Spread by something else. */
const apart: Readonly<Record<string, string>> = { 'element.element_ids': 'id', 'file.accounts': 'account_id' }

describe('growth', () => {
  const name = `worlds_growth_${randomBytes(4).toString('hex')}`
  let server: pg.Client
  let client: pg.Client
  beforeAll(async () => {
    const { postgresUrl, template } = testServers()
    server = new pg.Client({ connectionString: postgresUrl })
    await server.connect()
    await server.query(`create database ${name} template ${template}`)
    client = new pg.Client({ connectionString: databaseUrl(postgresUrl, name) })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await server.query(`drop database ${name} with (force)`)
    await server.end()
  })

  const tables = async (): Promise<string[]> => {
    const { rows } = await client.query(
      `select t.table_schema || '.' || t.table_name as name from information_schema.tables t
       where t.table_schema = any ($1) and t.table_type = 'BASE TABLE' and t.table_name <> 'migrations'`,
      [schemas],
    )
    return rows.map((row) => row.name)
  }

  it('can spread every table by its world: no key or unique index leaves the world out', async () => {
    const all = await tables()
    expect(all.length).toBeGreaterThan(15)
    for (const table of all) {
      const column = apart[table] ?? 'world_id'
      const part = table.replace('.', '_')
      // PostgreSQL refuses exactly where Citus would.
      await client.query(`create table public.${part} (like ${table} including all) partition by hash (${column})`)
    }
  })

  it('has no reference between tables that may be on two servers', async () => {
    const { rows } = await client.query(
      `select c.conrelid::regclass::text as source from pg_constraint c
       join pg_namespace n on n.oid = c.connamespace
       where c.contype = 'f' and n.nspname = any ($1)`,
      [schemas],
    )
    expect(rows).toEqual([])
  })

  it('has a script that names every table once, by the column that it is spread by', async () => {
    const script = readFileSync(join(repositoryRoot, 'deploy/citus/distribute.sql'), 'utf8')
    const spread = [...script.matchAll(/create_distributed_table\('([^']+)', '([^']+)'/g)].map(([, table, column]) => [
      table,
      column,
    ])
    const expected = (await tables()).map((table) => [table, apart[table] ?? 'world_id'])
    expect(spread.sort()).toEqual(expected.sort())
  })
})
