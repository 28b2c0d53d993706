import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

/** Of the services' login roles, as they go into `*_DB_PASSWORD`. */
export interface Passwords {
  readonly element: string
  readonly membership: string
  readonly changeFeed: string
  readonly file: string
}

export interface RoleUrls {
  readonly element: string
  readonly membership: string
  readonly changeFeed: string
  readonly file: string
}

const roles = {
  element: 'worlds_element',
  membership: 'worlds_membership',
  changeFeed: 'worlds_change_feed',
  file: 'worlds_file',
} as const

/** Makes the login roles and gives them their passwords. Roles belong to the whole cluster, which other runs may share. */
export async function makeRoles(client: Client, passwords: Passwords): Promise<void> {
  for (const name of Object.keys(roles) as (keyof typeof roles)[]) {
    const role = roles[name]
    await despiteOthers(async () => {
      const { rowCount } = await client.query('select from pg_catalog.pg_roles r where r.rolname = $1', [role])
      if (rowCount === 0) await client.query(`create role ${role} login`)
      await client.query(`alter role ${role} login password ${client.escapeLiteral(passwords[name])}`)
    })
  }
  // Every hot statement on element's tables goes by its index; a plan made for few rows must not turn to scans and hashes.
  const settings = [
    'plan_cache_mode = force_generic_plan',
    'enable_seqscan = off',
    'enable_hashjoin = off',
    'enable_mergejoin = off',
  ]
  for (const role of [roles.element, roles.changeFeed]) {
    for (const setting of settings) await despiteOthers(() => client.query(`alter role ${role} set ${setting}`))
  }
  await despiteOthers(() => client.query(`alter role ${roles.changeFeed} set default_transaction_read_only = on`))
}

/** A service writes its own schema; change-feed reads element's. */
export async function allowServices(client: Client): Promise<void> {
  for (const schema of ['element', 'membership', 'file'] as const) {
    await allow(client, schema, roles[schema], 'select, insert, update, delete', 'usage, select')
    await client.query(`grant execute on all functions in schema ${schema} to ${roles[schema]}`)
    await client.query(`alter default privileges in schema ${schema} grant execute on functions to ${roles[schema]}`)
  }
  await allow(client, 'element', roles.changeFeed, 'select', 'select')
}

export function roleUrls(ownerUrl: string, passwords: Passwords): RoleUrls {
  const urlOf = (name: keyof typeof roles) => {
    const url = new URL(ownerUrl)
    url.username = roles[name]
    url.password = encodeURIComponent(passwords[name])
    return url.href
  }
  return {
    element: urlOf('element'),
    membership: urlOf('membership'),
    changeFeed: urlOf('changeFeed'),
    file: urlOf('file'),
  }
}

async function allow(
  client: Client,
  schema: string,
  role: string,
  onTables: string,
  onSequences: string,
): Promise<void> {
  await client.query(`grant usage on schema ${schema} to ${role}`)
  await client.query(`grant ${onTables} on all tables in schema ${schema} to ${role}`)
  await client.query(`grant ${onSequences} on all sequences in schema ${schema} to ${role}`)
  await client.query(`alter default privileges in schema ${schema} grant ${onTables} on tables to ${role}`)
  await client.query(`alter default privileges in schema ${schema} grant ${onSequences} on sequences to ${role}`)
}

/** Another run may touch the same role in the same moment: PostgreSQL then refuses one of the two. */
async function despiteOthers(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work()
      return
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      const collided = code === '42710' || code === '23505' || /tuple concurrently/.test(message)
      if (!collided || attempt === 20) throw error
      await sleep(25 * attempt)
    }
  }
}
