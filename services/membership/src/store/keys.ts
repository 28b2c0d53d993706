import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Scope } from '../domain/keys'
import type { Key } from '../domain/records'
import { storedDigest } from './key-digests'

const insert: Statement = {
  name: 'insert-key',
  text: `
    insert into membership.keys (id, world_id, account_id, name, digest, last4, scope, legacy, membership)
    values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::boolean, $9::uuid)
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
  /** Null for the owner's keys. */
  readonly membership: string | null
}

/** Nothing when the key is taken. */
export async function insertKey(db: Transaction, key: NewKey): Promise<Key | undefined> {
  const { id, worldId, accountId, name, digest, last4, scope, legacy, membership } = key
  const stored = storedDigest(digest, membership)
  const [row] = await db.rows(insert, [id, worldId, accountId, name, stored, last4, scope, legacy, membership])
  return row === undefined ? undefined : toKey(row)
}

// Indexes: keys_world_idx, members_pkey.
const list: Statement = {
  name: 'list-keys',
  text: `
    select k.id, k.name, k.last4, k.created_at, k.last_used_at, k.scope, k.membership, k.revoked_at is not null
    from membership.keys k
    left join membership.members m on m.id = k.membership
    where k.world_id = $1::uuid and ($2::uuid is null or k.membership = $2::uuid)
      and (k.membership is null or m.state <> 'joining')
    order by k.created_at, k.id`,
}

/** The keys of one member, or all of the world. */
export async function listKeys(db: Transaction, worldId: string, membership: string | null): Promise<Key[]> {
  const rows = await db.rows(list, [worldId, membership])
  return rows.map(toKey)
}

const findHolder: Statement = {
  name: 'find-key-membership',
  text: 'select k.membership from membership.keys k where k.id = $2::uuid and k.world_id = $1::uuid',
}

/** Whose key it is: a membership, or null for the owner's; nothing when the world has no such key. */
export async function findKeyMembership(
  db: Transaction,
  worldId: string,
  id: string,
): Promise<{ readonly membership: string | null } | undefined> {
  const [row] = await db.rows(findHolder, [worldId, id])
  return row === undefined ? undefined : { membership: row[0] ?? null }
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

// Index: keys_membership_idx.
const removeLive: Statement = {
  name: 'delete-live-keys',
  text: 'delete from membership.keys k where k.membership = $1::uuid and k.revoked_at is null',
}

/** A key that was revoked stays, and goes on saying so. */
export async function deleteLiveKeys(tx: Transaction, membership: string): Promise<void> {
  await tx.rows(removeLive, [membership])
}

// Index: keys_membership_idx.
const clearNames: Statement = {
  name: 'clear-key-names',
  text: `update membership.keys k set name = '' where k.membership = $1::uuid`,
}

export async function clearKeyNames(tx: Transaction, membership: string): Promise<void> {
  await tx.rows(clearNames, [membership])
}

// Indexes: worlds_owner_idx, keys_world_idx.
const removeOfOwner: Statement = {
  name: 'delete-keys-of-owner',
  text: `
    delete from membership.keys k
    using membership.worlds w
    where w.owner_account = $1::uuid and k.world_id = w.id`,
}

/** Every key of every world that the account owns. */
export async function deleteKeysOfOwner(tx: Transaction, ownerAccount: string): Promise<void> {
  await tx.rows(removeOfOwner, [ownerAccount])
}
