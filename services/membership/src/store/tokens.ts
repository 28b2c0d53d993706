import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Token } from '../domain/records'

const insert: Statement = {
  name: 'insert-token',
  text: `
    insert into membership.tokens (id, account_id, name, digest, last4)
    select $1::uuid, a.id, $3::text, $4::text, $5::text
    from membership.accounts a
    where a.id = $2::uuid and a.deleted_at is null
    for share
    returning id, name, last4, created_at, last_used_at`,
}

export interface NewToken {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly digest: string
  readonly last4: string
}

/** Nothing when there is no such account. */
export async function insertToken(db: Transaction, token: NewToken): Promise<Token | undefined> {
  const [row] = await db.rows(insert, [token.id, token.accountId, token.name, token.digest, token.last4])
  return row === undefined ? undefined : toToken(row)
}

// Index: tokens_account_idx.
const list: Statement = {
  name: 'list-tokens',
  text: `
    select t.id, t.name, t.last4, t.created_at, t.last_used_at
    from membership.tokens t
    where t.account_id = $1::uuid
    order by t.created_at, t.id`,
}

export async function listTokens(db: Transaction, accountId: string): Promise<Token[]> {
  const rows = await db.rows(list, [accountId])
  return rows.map(toToken)
}

function toToken(row: Row): Token {
  const [id, name, last4, createdAt, lastUsedAt] = row as [string, string, string, string, string | null]
  return { id, name, last4, createdAt: toTimestamp(createdAt), lastUsedAt: lastUsedAt && toTimestamp(lastUsedAt) }
}

// Index: tokens_digest_key.
const find: Statement = {
  name: 'find-token',
  text: `
    select t.id, t.account_id, coalesce(t.last_used_at < now() - interval '1 minute', true)
    from membership.tokens t
    where t.digest = any ($1::text[])`,
}

export interface FoundToken {
  readonly id: string
  readonly accountId: string
  /** Its last use is not known to the minute. */
  readonly stale: boolean
}

export async function findToken(db: Transaction, digests: readonly string[]): Promise<FoundToken | undefined> {
  const [row] = await db.rows(find, [digests])
  if (row === undefined) return undefined
  const [id, accountId, stale] = row as [string, string, string]
  return { id, accountId, stale: stale === 't' }
}

const touch: Statement = {
  name: 'touch-token',
  text: `
    update membership.tokens t
    set last_used_at = now()
    where t.id = $1::uuid and coalesce(t.last_used_at < now() - interval '1 minute', true)`,
}

export async function touchToken(db: Transaction, id: string): Promise<void> {
  await db.rows(touch, [id])
}

const remove: Statement = {
  name: 'delete-token',
  text: 'delete from membership.tokens t where t.id = $1::uuid and t.account_id = $2::uuid returning t.id',
}

export async function deleteToken(db: Transaction, accountId: string, id: string): Promise<boolean> {
  const rows = await db.rows(remove, [id, accountId])
  return rows.length === 1
}

const removeAll: Statement = {
  name: 'delete-tokens',
  text: 'delete from membership.tokens t where t.account_id = $1::uuid',
}

export async function deleteTokens(db: Transaction, accountId: string): Promise<void> {
  await db.rows(removeAll, [accountId])
}
