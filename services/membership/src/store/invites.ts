import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Email } from '../domain/email'
import type { MemberRole } from '../domain/members'
import type { Invite } from '../domain/sharing'

// Indexes: emails_verified_key, worlds_pkey, members_person_key.
const findInsider: Statement = {
  name: 'find-insider-by-email',
  text: `
    select e.account_id
    from membership.emails e
    where e.folded = $2::text and e.verified and (
      exists (select from membership.worlds w where w.id = $1::uuid and w.owner_account = e.account_id)
      or exists (select from membership.members m
        where m.world_id = $1::uuid and m.account_id = e.account_id and m.state = 'active'))`,
}

/** Whether an active member of the world, or its owner, has verified the email. */
export async function isInsider(db: Transaction, worldId: string, folded: string): Promise<boolean> {
  const rows = await db.rows(findInsider, [worldId, folded])
  return rows.length === 1
}

// Index: invites_email_key.
const upsert: Statement = {
  name: 'upsert-invite',
  text: `
    insert into membership.invites (id, world_id, folded, email, role)
    values ($1::uuid, $2::uuid, $3::text, $4::text, $5::text)
    on conflict (world_id, folded) do update
    set role = excluded.role
    returning id, email, role, created_at`,
}

/** An email has one invite to a world; another one changes its role. */
export async function upsertInvite(
  tx: Transaction,
  invite: { id: string; worldId: string; email: Email; role: MemberRole },
): Promise<Invite> {
  const { id, worldId, email, role } = invite
  const [row] = await tx.rows(upsert, [id, worldId, email.folded, email.address, role])
  if (row === undefined) throw new Error('an invite was not stored')
  return toInvite(row)
}

// Index: invites_email_key.
const list: Statement = {
  name: 'list-invites',
  text: `
    select i.id, i.email, i.role, i.created_at
    from membership.invites i
    where i.world_id = $1::uuid and i.member_id is null
    order by i.created_at, i.id`,
}

export async function listInvites(db: Transaction, worldId: string): Promise<Invite[]> {
  const rows = await db.rows(list, [worldId])
  return rows.map(toInvite)
}

function toInvite(row: Row): Invite {
  const [id, email, role, createdAt] = row as [string, string, MemberRole, string]
  return { id, email, role, createdAt: toTimestamp(createdAt) }
}

const cancel: Statement = {
  name: 'cancel-invite',
  text: `
    delete from membership.invites i
    where i.id = $2::uuid and i.world_id = $1::uuid and i.member_id is null
    returning i.id`,
}

/** False when there is none, or it is being accepted already. */
export async function cancelInvite(db: Transaction, worldId: string, id: string): Promise<boolean> {
  const rows = await db.rows(cancel, [worldId, id])
  return rows.length === 1
}

const read: Statement = {
  name: 'read-invite',
  text: `
    select i.email, i.world_id
    from membership.invites i
    join membership.worlds w on w.id = i.world_id
    where i.id = $1::uuid and w.state = 'open'`,
}

/** Whom the invite goes to. */
export async function readInvite(db: Transaction, id: string): Promise<{ email: string; worldId: string } | undefined> {
  const [row] = await db.rows(read, [id])
  if (row === undefined) return undefined
  const [email, worldId] = row as [string, string]
  return { email, worldId }
}

// Indexes: invites_email_key, sponsor_offers_email_key.
const removeOfWorld: readonly Statement[] = [
  {
    name: 'delete-invites-of-world',
    text: 'delete from membership.invites i where i.world_id = $1::uuid',
  },
  {
    name: 'delete-sponsor-offers-of-world',
    text: 'delete from membership.sponsor_offers o where o.world_id = $1::uuid',
  },
]

/** Of a deleted world, which takes no new ones: invites as a member and offers to sponsor. */
export async function deleteInvitesOfWorld(tx: Transaction, worldId: string): Promise<void> {
  for (const statement of removeOfWorld) await tx.rows(statement, [worldId])
}
