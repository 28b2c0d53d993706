import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Scope } from '../domain/keys'
import type { Key } from '../domain/records'

const insert: Statement = {
  name: 'insert-key',
  text: `
    insert into membership.keys (id, world_id, account_id, name, digest, last4, scope, legacy)
    values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::boolean)
    on conflict (digest) do nothing
    returning id, name, last4, created_at, last_used_at, scope, membership, revoked_at is not null`,
}

export interface NewKey {
  readonly id: string
  readonly worldId: string
  readonly accountId: string
  readonly name: string
  readonly digest: string
  readonly last4: string
  readonly scope: Scope
  readonly legacy: boolean
}

/** Nothing when the key is taken. */
export async function insertKey(db: Transaction, key: NewKey): Promise<Key | undefined> {
  const { id, worldId, accountId, name, digest, last4, scope, legacy } = key
  const [row] = await db.rows(insert, [id, worldId, accountId, name, digest, last4, scope, legacy])
  return row === undefined ? undefined : toKey(row)
}

// Index: keys_world_idx.
const list: Statement = {
  name: 'list-keys',
  text: `
    select k.id, k.name, k.last4, k.created_at, k.last_used_at, k.scope, k.membership, k.revoked_at is not null
    from membership.keys k
    where k.world_id = $1::uuid
    order by k.created_at, k.id`,
}

export async function listKeys(db: Transaction, worldId: string): Promise<Key[]> {
  const rows = await db.rows(list, [worldId])
  return rows.map(toKey)
}

function toKey(row: Row): Key {
  const [id, name, last4, createdAt, lastUsedAt, scope, membership, revoked] = row as [
    string,
    string,
    string,
    string,
    string | null,
    string,
    string | null,
    string,
  ]
  return {
    id,
    name,
    last4,
    createdAt: toTimestamp(createdAt),
    lastUsedAt: lastUsedAt && toTimestamp(lastUsedAt),
    scope,
    membership,
    revoked: revoked === 't',
  }
}

const revoke: Statement = {
  name: 'revoke-key',
  text: `
    update membership.keys k
    set revoked_at = coalesce(k.revoked_at, now())
    where k.id = $1::uuid and k.world_id = $2::uuid
    returning k.id`,
}

export async function markKeyRevoked(db: Transaction, worldId: string, id: string): Promise<boolean> {
  const rows = await db.rows(revoke, [id, worldId])
  return rows.length === 1
}
