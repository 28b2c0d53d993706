import type { Statement, Transaction } from '@worlds/runtime/postgres'
import type { World } from '../domain/records'

// Indexes: members_person_key, members_sponsor_idx.
const find: Statement = {
  name: 'find-member-tie',
  text: `
    select
      (select m.id from membership.members m
        where m.world_id = $1::uuid and m.account_id = $2::uuid and m.state = 'active'),
      exists (select from membership.members s
        where s.sponsor_account = $2::uuid and s.world_id = $1::uuid and s.state = 'active')`,
}

export interface MemberTie {
  /** The account's active membership. */
  readonly membership: string | null
  /** It sponsors an active seat. */
  readonly sponsors: boolean
}

export async function findMemberTie(db: Transaction, worldId: string, accountId: string): Promise<MemberTie> {
  const [row] = await db.rows(find, [worldId, accountId])
  const [membership = null, sponsors] = row ?? []
  return { membership, sponsors: sponsors === 't' }
}

export interface SharedWorld extends World {
  readonly membership: string
}

// Index: members_account_idx.
const listShared: Statement = {
  name: 'list-shared-worlds',
  text: `
    select w.id, w.public_read, m.id
    from membership.members m
    join membership.worlds w on w.id = m.world_id
    where m.account_id = $1::uuid and m.state = 'active' and w.state = 'open'
    order by m.joined_at, m.id`,
}

/** The worlds that an account is an active member of, as it joined them. */
export async function listSharedWorlds(db: Transaction, accountId: string): Promise<SharedWorld[]> {
  const rows = await db.rows(listShared, [accountId])
  return rows.map((row) => {
    const [id, publicRead, membership] = row as [string, string, string]
    return { id, publicRead: publicRead === 't', membership }
  })
}

// Index: members_account_idx.
const listOfAccount: Statement = {
  name: 'list-memberships',
  text: 'select m.id, m.world_id from membership.members m where m.account_id = $1::uuid',
}

export interface Membership {
  readonly id: string
  readonly worldId: string
}

/** Every membership that the account ever had as a person, joining and removed ones too. */
export async function listMemberships(db: Transaction, accountId: string): Promise<Membership[]> {
  const rows = await db.rows(listOfAccount, [accountId])
  return rows.map((row) => {
    const [id, worldId] = row as [string, string]
    return { id, worldId }
  })
}

// Index: members_sponsor_idx.
const endSponsorship: Statement = {
  name: 'end-sponsorship',
  text: `
    update membership.members m
    set sponsor_account = null
    where m.sponsor_account = $1::uuid and ($2::uuid is null or m.world_id = $2::uuid)
    returning m.world_id`,
}

/** From now on the owner sponsors what the account did, in one world or in all. Names the worlds that have such seats. */
export async function endSponsorships(tx: Transaction, accountId: string, worldId: string | null): Promise<string[]> {
  const rows = await tx.rows(endSponsorship, [accountId, worldId])
  return [...new Set(rows.map(([world]) => world as string))]
}

// Index: join_links_sponsor_idx.
const endLinkSponsorship: Statement = {
  name: 'end-link-sponsorship',
  text: `
    update membership.join_links l
    set sponsor_account = null
    where l.sponsor_account = $1::uuid and ($2::uuid is null or l.world_id = $2::uuid)`,
}

/** The owner sponsors what comes by the account's links, in one world or in all. */
export async function endLinkSponsorships(tx: Transaction, accountId: string, worldId: string | null): Promise<void> {
  await tx.rows(endLinkSponsorship, [accountId, worldId])
}
