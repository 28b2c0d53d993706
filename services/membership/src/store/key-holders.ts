import type { Statement, Transaction } from '@worlds/runtime/postgres'
import type { Scope } from '../domain/keys'

// Index: keys_digest_key.
const findWorld: Statement = {
  name: 'find-key-world',
  text: 'select k.world_id from membership.keys k where k.digest = any ($1::text[])',
}

export async function findKeyWorld(db: Transaction, digests: readonly string[]): Promise<string | undefined> {
  const [row] = await db.rows(findWorld, [digests])
  return row?.[0] ?? undefined
}

// Index: keys_digest_key.
const find: Statement = {
  name: 'find-key-holder',
  text: `
    select k.id, k.account_id, k.scope, k.legacy, k.revoked_at is not null, w.owner_account, w.public_read,
      a.pin_digest, coalesce(k.last_used_at < now() - interval '1 minute', true)
    from membership.keys k
    join membership.worlds w on w.id = k.world_id
    join membership.accounts a on a.id = w.owner_account
    where k.digest = any ($1::text[]) and k.world_id = $2::uuid and w.state = 'open'`,
}

export interface FoundKey {
  readonly id: string
  readonly accountId: string
  readonly scope: Scope
  readonly legacy: boolean
  readonly revoked: boolean
  readonly ownerAccount: string
  readonly publicRead: boolean
  readonly ownerPinDigest: string | null
  /** Its last use is not known to the minute. */
  readonly stale: boolean
}

/** The key with all that its principal rests on; nothing when its world is not open. */
export async function findKey(
  db: Transaction,
  digests: readonly string[],
  worldId: string,
): Promise<FoundKey | undefined> {
  const [row] = await db.rows(find, [digests, worldId])
  if (row === undefined) return undefined
  const [id, accountId, scope, legacy, revoked, ownerAccount, publicRead, ownerPinDigest, stale] = row as [
    string,
    string,
    Scope,
    string,
    string,
    string,
    string,
    string | null,
    string,
  ]
  return {
    id,
    accountId,
    scope,
    legacy: legacy === 't',
    revoked: revoked === 't',
    ownerAccount,
    publicRead: publicRead === 't',
    ownerPinDigest,
    stale: stale === 't',
  }
}

const touch: Statement = {
  name: 'touch-key',
  text: `
    update membership.keys k
    set last_used_at = now()
    where k.id = $1::uuid and coalesce(k.last_used_at < now() - interval '1 minute', true)`,
}

export async function touchKey(db: Transaction, id: string): Promise<void> {
  await db.rows(touch, [id])
}
