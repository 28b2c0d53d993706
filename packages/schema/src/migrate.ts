import { join } from 'node:path'
import pg from 'pg'
import { allowServices, makeRoles, type Passwords, type RoleUrls, roleUrls } from './roles'

/** The services' folders, as they lie beside this package in the repository and in images. */
const services = join(__dirname, '..', '..', '..', 'services')

const schemas = ['element', 'membership', 'file'] as const

export interface MigrateOptions {
  /** Told the name of each migration that was run. */
  readonly ran?: (name: string) => void
}

/**
 * Brings a database up to date: extensions, the services' login roles, every migration that was not
 * yet run (roll-forward only), and what each role may do. Safe to call from several processes at once.
 */
export async function migrate(ownerUrl: string, passwords: Passwords, options: MigrateOptions = {}): Promise<RoleUrls> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('worlds:migrate'))`)
    await client.query('create extension if not exists pg_trgm')
    await client.query('create extension if not exists btree_gin')
    await makeRoles(client, passwords)
    for (const schema of schemas) await migrateSchema(ownerUrl, schema, options)
    await allowServices(client)
  } finally {
    await client.end()
  }
  return roleUrls(ownerUrl, passwords)
}

async function migrateSchema(databaseUrl: string, schema: string, options: MigrateOptions): Promise<void> {
  const { runner } = await import('node-pg-migrate')
  const quiet = () => undefined
  const run = await runner({
    databaseUrl,
    dir: join(services, schema, 'migrations'),
    direction: 'up',
    // What a migration names without a schema is made in its own; extensions live in public.
    schema: [schema, 'public'],
    createSchema: true,
    migrationsSchema: schema,
    migrationsTable: 'migrations',
    singleTransaction: false,
    advisoryLockMode: 'wait',
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  for (const { name } of run) options.ran?.(`${schema} ${name}`)
}
