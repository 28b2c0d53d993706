import type { Statement, Transaction } from '@worlds/runtime/postgres'
import type { Scope } from '../domain/keys'
import { storedDigests } from './key-digests'

// Index: keys_digest_key.
const findWorld: Statement = {
  name: 'find-key-world',
  text: 'select k.world_id from membership.keys k where k.digest = any ($1::text[])',
}

export async function findKeyWorld(db: Transaction, digests: readonly string[]): Promise<string | undefined> {
  const [row] = await db.rows(findWorld, [storedDigests(digests)])
  return row?.[0] ?? undefined
}

// Index: keys_digest_key.
const find: Statement = {
  name: 'find-key-holder',
  text: `
    select k.id, k.scope, k.legacy, k.revoked_at is not null, w.public_read, w.owner_account,
      case when k.membership is null then o.pin_digest else coalesce(p.pin_digest, m.secret_digest) end,
      coalesce(k.last_used_at < now() - interval '1 minute', true),
      m.id, m.kind, m.account_id, m.sponsor_account
    from membership.keys k
    join membership.worlds w on w.id = k.world_id
    join membership.accounts o on o.id = w.owner_account
    left join membership.members m on m.id = k.membership
    left join membership.accounts p on p.id = m.account_id
    where k.digest = any ($1::text[]) and k.world_id = $2::uuid and w.state = 'open'
      and (k.membership is null or k.revoked_at is not null or m.state = 'active')`,
}

/** Whom a key that no owner minted speaks for. */
export interface KeyMember {
  readonly id: string
  readonly kind: string
  /** The person's; null for players and seats. */
  readonly accountId: string | null
  readonly sponsorAccount: string | null
}

export interface FoundKey {
  readonly id: string
  readonly scope: Scope
  readonly legacy: boolean
  readonly revoked: boolean
  readonly publicRead: boolean
  readonly ownerAccount: string
  /** Null for the owner's keys and legacy keys. */
  readonly member: KeyMember | null
  /** Of the PIN or seat secret that guards writes. */
  readonly pinDigest: string | null
  /** Its last use is not known to the minute. */
  readonly stale: boolean
}

/** The key with all that its principal rests on; nothing when its world is not open or its member not active. */
export async function findKey(
  db: Transaction,
  digests: readonly string[],
  worldId: string,
): Promise<FoundKey | undefined> {
  const [row] = await db.rows(find, [storedDigests(digests), worldId])
  if (row === undefined) return undefined
  const [id, scope, legacy, revoked, publicRead, ownerAccount, pinDigest, stale] = row as [
    string,
    Scope,
    string,
    string,
    string,
    string,
    string | null,
    string,
  ]
  const [memberId, kind, accountId, sponsorAccount] = row.slice(8) as [
    string | null,
    string,
    string | null,
    string | null,
  ]
  return {
    id,
    scope,
    legacy: legacy === 't',
    revoked: revoked === 't',
    publicRead: publicRead === 't',
    ownerAccount,
    member: memberId === null ? null : { id: memberId, kind, accountId, sponsorAccount },
    pinDigest,
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
