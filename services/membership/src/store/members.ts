import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'

export type Via = 'invite' | 'player' | 'agent-link' | 'seat'

export interface NewMember {
  readonly id: string
  readonly worldId: string
  /** The person's who came by an invite; null for players and seats. */
  readonly accountId: string | null
  readonly kind: 'person' | 'agent'
  readonly via: Via
  /** The invite or link that was spent. */
  readonly viaId: string | null
  /** Null when the owner sponsors. */
  readonly sponsorAccount: string | null
  /** The member that made this seat for itself; null for every other member. */
  readonly maker: string | null
  readonly name: string
  readonly secretDigest: string | null
}

// Index: members_person_key.
const insert: Statement = {
  name: 'insert-member',
  text: `
    insert into membership.members (id, world_id, account_id, kind, via, via_id, state, sponsor_account, made_by,
      name, secret_digest)
    values ($1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::uuid, 'joining', $7::uuid, $8::uuid, $9::text,
      $10::text)
    on conflict (world_id, account_id) where account_id is not null and state in ('joining', 'active') do nothing
    returning id`,
}

/** Makes a joining member; false when the account is a member of the world or is joining it. */
export async function insertMember(tx: Transaction, member: NewMember): Promise<boolean> {
  const { id, worldId, accountId, kind, via, viaId, sponsorAccount, maker, name, secretDigest } = member
  const values = [id, worldId, accountId, kind, via, viaId, sponsorAccount, maker, name, secretDigest]
  const rows = await tx.rows(insert, values)
  return rows.length === 1
}

const markActive: Statement = {
  name: 'mark-member-active',
  text: `
    update membership.members m
    set state = case when m.state = 'joining' then 'active' else m.state end, joined_at = coalesce(m.joined_at, now())
    where m.id = $1::uuid
    returning m.id`,
}

/** Leaves a removed member as it is; false when there is no such member. */
export async function markMemberActive(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.rows(markActive, [id])
  return rows.length === 1
}

const removeJoining: Statement = {
  name: 'delete-joining-member',
  text: `delete from membership.members m where m.id = $1::uuid and m.state = 'joining' returning m.id`,
}

export async function deleteJoiningMember(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.rows(removeJoining, [id])
  return rows.length === 1
}

const markRemoved: Statement = {
  name: 'mark-member-removed',
  text: `update membership.members m set state = 'removed' where m.id = $1::uuid`,
}

export async function markMemberRemoved(tx: Transaction, id: string): Promise<void> {
  await tx.rows(markRemoved, [id])
}

// Index: members_made_by_idx.
const markSeats: Statement = {
  name: 'mark-seats-removed',
  text: `
    update membership.members m set state = 'removed'
    where m.made_by = $1::uuid and m.state <> 'removed'
    returning m.id`,
}

/** The seats that a member made for itself, those on their way into the world too. */
export async function markSeatsRemoved(tx: Transaction, maker: string): Promise<string[]> {
  const rows = await tx.rows(markSeats, [maker])
  return rows.map(([id]) => id as string)
}

export interface Member {
  readonly id: string
  readonly accountId: string | null
  readonly kind: string
  readonly via: Via
  readonly state: 'active' | 'removed'
  readonly sponsorAccount: string | null
  readonly createdAt: string
}

const columns = 'm.id, m.account_id, m.kind, m.via, m.state, m.sponsor_account, m.created_at'

const find: Statement = {
  name: 'find-member',
  text: `
    select ${columns}
    from membership.members m
    where m.id = $2::uuid and m.world_id = $1::uuid and m.state <> 'joining'`,
}

export async function findMember(db: Transaction, worldId: string, id: string): Promise<Member | undefined> {
  const [row] = await db.rows(find, [worldId, id])
  return row === undefined ? undefined : toMember(row)
}

// Index: members_world_idx.
const list: Statement = {
  name: 'list-members',
  text: `
    select ${columns}
    from membership.members m
    where m.world_id = $1::uuid and m.state <> 'joining'
    order by m.created_at, m.id`,
}

export async function listMembers(db: Transaction, worldId: string): Promise<Member[]> {
  const rows = await db.rows(list, [worldId])
  return rows.map(toMember)
}

function toMember(row: Row): Member {
  const [id, accountId, kind, via, state, sponsorAccount, createdAt] = row as [
    string,
    string | null,
    string,
    Via,
    'active' | 'removed',
    string | null,
    string,
  ]
  return { id, accountId, kind, via, state, sponsorAccount, createdAt: toTimestamp(createdAt) }
}

// Index: members_pkey.
const lockActive: Statement = {
  name: 'lock-active-member',
  text: `select m.id from membership.members m where m.id = $1::uuid and m.state = 'active' for share`,
}

/** False unless the member is active; else it stays so until the transaction ends. */
export async function lockActiveMember(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.rows(lockActive, [id])
  return rows.length === 1
}
