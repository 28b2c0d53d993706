import { type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { MemberRole } from '../domain/members'
import type { ReceivedInvite } from '../domain/sharing'

// Indexes: emails_pkey, invites_folded_idx.
const list: Statement = {
  name: 'list-received-invites',
  text: `
    select i.id, i.world_id, i.email, i.role, i.created_at
    from membership.emails e
    join membership.invites i on i.folded = e.folded
    join membership.worlds w on w.id = i.world_id
    where e.account_id = $1::uuid and e.verified and i.member_id is null and w.state = 'open'
    order by i.created_at, i.id`,
}

/** The pending invites to the verified emails of an account. */
export async function listReceivedInvites(db: Transaction, accountId: string): Promise<ReceivedInvite[]> {
  const rows = await db.rows(list, [accountId])
  return rows.map((row) => {
    const [id, worldId, email, role, createdAt] = row as [string, string, string, MemberRole, string]
    return { id, worldId, email, role, createdAt: toTimestamp(createdAt) }
  })
}

// Indexes: invites_pkey, emails_pkey, members_person_key.
const find: Statement = {
  name: 'find-received-invite',
  text: `
    select i.world_id, i.role, i.member_id, w.owner_account = a.id, m.id, m.state, a.pin_digest is not null
    from membership.invites i
    join membership.worlds w on w.id = i.world_id
    join membership.accounts a on a.id = $1::uuid
    join membership.emails e on e.account_id = a.id and e.folded = i.folded and e.verified
    left join membership.members m on m.world_id = i.world_id and m.account_id = a.id
      and m.state in ('joining', 'active')
    where i.id = $2::uuid and w.state = 'open'`,
}

export interface FoundInvite {
  readonly worldId: string
  readonly role: MemberRole
  /** Who is accepting it. */
  readonly memberId: string | null
  /** The account owns the world or is an active member of it. */
  readonly isInside: boolean
  /** The account's membership that is being made, by this invite or by another. */
  readonly joining: string | null
  readonly hasPin: boolean
}

/** An invite to a verified email of the account. */
export async function findReceivedInvite(
  db: Transaction,
  accountId: string,
  id: string,
): Promise<FoundInvite | undefined> {
  const [row] = await db.rows(find, [accountId, id])
  if (row === undefined) return undefined
  const [worldId, role, memberId, isOwner, membership, state, hasPin] = row as [
    string,
    MemberRole,
    string | null,
    string,
    string | null,
    string | null,
    string,
  ]
  return {
    worldId,
    role,
    memberId,
    isInside: isOwner === 't' || state === 'active',
    joining: state === 'joining' ? membership : null,
    hasPin: hasPin === 't',
  }
}

// Index: members_account_idx.
const findAccepted: Statement = {
  name: 'find-accepted-invite',
  text: `
    select m.id
    from membership.members m
    join membership.worlds w on w.id = m.world_id
    where m.account_id = $1::uuid and m.via_id = $2::uuid and m.state = 'active' and w.state = 'open'`,
}

/** Whether the account is a member by this invite. */
export async function hasAccepted(db: Transaction, accountId: string, id: string): Promise<boolean> {
  const rows = await db.rows(findAccepted, [accountId, id])
  return rows.length === 1
}

const lock: Statement = {
  name: 'lock-invite',
  text: 'select i.role from membership.invites i where i.id = $1::uuid and i.member_id is null for update',
}

/** The role it gives while it is pending, which it then stays until the transaction ends. */
export async function lockPendingInvite(tx: Transaction, id: string): Promise<MemberRole | undefined> {
  const [row] = await tx.rows(lock, [id])
  return row?.[0] as MemberRole | undefined
}

const take: Statement = {
  name: 'take-invite',
  text: 'update membership.invites i set member_id = $2::uuid where i.id = $1::uuid',
}

export async function takeInvite(tx: Transaction, id: string, memberId: string): Promise<void> {
  await tx.rows(take, [id, memberId])
}

// Index: invites_member_idx.
const giveBack: Statement = {
  name: 'give-invite-back',
  text: 'update membership.invites i set member_id = null where i.member_id = $1::uuid',
}

/** What the member was accepting is pending again. */
export async function giveInviteBack(tx: Transaction, memberId: string): Promise<void> {
  await tx.rows(giveBack, [memberId])
}

// Index: invites_member_idx.
const resolve: Statement = {
  name: 'resolve-invite',
  text: 'delete from membership.invites i where i.member_id = $1::uuid',
}

export async function resolveInvite(tx: Transaction, memberId: string): Promise<void> {
  await tx.rows(resolve, [memberId])
}

// Indexes: invites_pkey, emails_pkey.
const refuse: Statement = {
  name: 'refuse-invite',
  text: `
    delete from membership.invites i
    using membership.emails e, membership.worlds w
    where i.id = $2::uuid and i.member_id is null and e.account_id = $1::uuid and e.folded = i.folded and e.verified
      and w.id = i.world_id and w.state = 'open'
    returning i.id`,
}

export async function refuseReceivedInvite(db: Transaction, accountId: string, id: string): Promise<boolean> {
  const rows = await db.rows(refuse, [accountId, id])
  return rows.length === 1
}
