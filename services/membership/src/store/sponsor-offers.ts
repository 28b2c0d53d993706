import { type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { SponsorOffer } from '../domain/sharing'

// Index: sponsor_offers_email_key.
const upsert: Statement = {
  name: 'upsert-sponsor-offer',
  text: `
    insert into membership.sponsor_offers (id, world_id, folded)
    values ($1::uuid, $2::uuid, $3::text)
    on conflict (world_id, folded) do update set folded = excluded.folded
    returning id`,
}

/** The id of the world's one offer to an email. */
export async function upsertSponsorOffer(
  tx: Transaction,
  id: string,
  worldId: string,
  folded: string,
): Promise<string> {
  const [row] = await tx.rows(upsert, [id, worldId, folded])
  return row?.[0] as string
}

/** Offers to a verified email of the account $1 that still have something to sponsor: an open link, or a seat by one. */
const offered = `
    membership.emails e
    join membership.sponsor_offers o on o.folded = e.folded
    join membership.worlds w on w.id = o.world_id
    where e.account_id = $1::uuid and e.verified and w.state = 'open' and w.owner_account <> $1::uuid and exists (
      select from membership.join_links l
      where l.sponsor_offer = o.id and ((l.status = 'open' and l.expires_at > now())
        or exists (select from membership.members m where m.via_id = l.id and m.state <> 'removed')))`

// Indexes: emails_pkey, sponsor_offers_folded_idx, join_links_offer_idx, members_via_idx.
const list: Statement = {
  name: 'list-sponsor-offers',
  text: `
    select o.id, o.world_id, o.created_at
    from ${offered}
    order by o.created_at, o.id`,
}

export async function listSponsorOffers(db: Transaction, accountId: string): Promise<SponsorOffer[]> {
  const rows = await db.rows(list, [accountId])
  return rows.map(toOffer)
}

// Indexes: sponsor_offers_pkey and those of the list.
const lock: Statement = {
  name: 'lock-sponsor-offer',
  text: `
    select o.id, o.world_id, o.created_at
    from ${offered} and o.id = $2::uuid
    for update of o`,
}

/** An offer to the account, which then stays until the transaction ends; nothing when there is none. */
export async function lockSponsorOffer(
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<SponsorOffer | undefined> {
  const [row] = await tx.rows(lock, [accountId, id])
  return row === undefined ? undefined : toOffer(row)
}

function toOffer(row: (string | null)[]): SponsorOffer {
  const [id, worldId, createdAt] = row as [string, string, string]
  return { id, worldId, createdAt: toTimestamp(createdAt) }
}

// Indexes: join_links_offer_idx, members_via_idx.
const takeUp: Statement = {
  name: 'take-up-sponsor-offer',
  text: `
    with link as (
      update membership.join_links l
      set sponsor_account = $2::uuid
      where l.sponsor_offer = $1::uuid
      returning l.id
    )
    update membership.members m
    set sponsor_account = $2::uuid
    from link
    where m.via_id = link.id and m.via = 'agent-link' and m.state <> 'removed'`,
}

/** The account sponsors what came and will come by the links that made the offer. */
export async function takeUpSponsorOffer(tx: Transaction, id: string, accountId: string): Promise<void> {
  await tx.rows(takeUp, [id, accountId])
}

const remove: Statement = {
  name: 'delete-sponsor-offer',
  text: 'delete from membership.sponsor_offers o where o.id = $1::uuid',
}

export async function deleteSponsorOffer(tx: Transaction, id: string): Promise<void> {
  await tx.rows(remove, [id])
}

// Indexes: emails_verified_key, members_person_key.
const lockMember: Statement = {
  name: 'lock-member-by-email',
  text: `
    select m.account_id
    from membership.emails e
    join membership.members m on m.account_id = e.account_id and m.world_id = $1::uuid and m.state = 'active'
    where e.folded = $2::text and e.verified
    for share of m`,
}

/** The account of the active member who has verified the email; it stays a member until the transaction ends. */
export async function lockMemberByEmail(tx: Transaction, worldId: string, folded: string): Promise<string | undefined> {
  const [row] = await tx.rows(lockMember, [worldId, folded])
  return row?.[0] ?? undefined
}
