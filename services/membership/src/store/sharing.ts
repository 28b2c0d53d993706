import { type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'

// Indexes: invites_email_key, keys_world_idx, members_pkey, join_links_world_idx.
const count: Statement = {
  name: 'count-sharing',
  text: `
    select
      (select count(*) from membership.invites i where i.world_id = $1::uuid and i.member_id is null),
      (select count(*)
        from membership.keys k
        left join membership.members m on m.id = k.membership
        where k.world_id = $1::uuid and k.scope = 'read' and not k.legacy and k.revoked_at is null
          and (k.membership is null or m.state = 'active')),
      (select count(*)
        from membership.join_links l
        where l.world_id = $1::uuid and l.status = 'open' and l.expires_at > now())`,
}

export interface Sharing {
  readonly pendingInvites: number
  /** Live ones, whoever minted them. */
  readonly readKeys: number
  readonly openLinks: number
}

export async function countSharing(db: Transaction, worldId: string): Promise<Sharing> {
  const [row] = await db.rows(count, [worldId])
  return { pendingInvites: toInteger(row?.[0]), readKeys: toInteger(row?.[1]), openLinks: toInteger(row?.[2]) }
}
