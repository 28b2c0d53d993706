import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { MemberRole } from '../domain/members'
import type { JoinLink, LinkReader, LinkSponsor } from '../domain/sharing'

const columns = `l.id, l.reader, l.role, l.name, l.expires_at, l.created_at, l.with_character,
      case when l.status = 'open' and l.expires_at <= now() then 'expired' else l.status end`

const insert: Statement = {
  name: 'insert-join-link',
  text: `
    insert into membership.join_links as l (id, world_id, reader, role, digest, name, sponsor_account, sponsor_offer,
      "character", with_character, status, expires_at)
    values ($1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::uuid, $8::uuid, $9::uuid, $10::boolean,
      'open', now() + $11::bigint * interval '1 millisecond')
    returning ${columns}`,
}

export interface NewJoinLink {
  readonly id: string
  readonly worldId: string
  readonly reader: LinkReader
  readonly role: MemberRole
  readonly digest: string
  readonly name: string
  readonly sponsor: LinkSponsor
  readonly character: string | null
  readonly withCharacter: boolean
  readonly lifeMs: number
}

export async function insertJoinLink(tx: Transaction, link: NewJoinLink): Promise<JoinLink> {
  const { id, worldId, reader, role, digest, name, sponsor, character, withCharacter, lifeMs } = link
  const { account, offer } = sponsor
  const values = [id, worldId, reader, role, digest, name, account, offer, character, withCharacter, lifeMs]
  const [row] = await tx.rows(insert, values)
  if (row === undefined) throw new Error('a link was not stored')
  return toJoinLink(row)
}

// Index: join_links_world_idx.
const list: Statement = {
  name: 'list-join-links',
  text: `
    select ${columns}
    from membership.join_links l
    where l.world_id = $1::uuid
    order by l.created_at, l.id`,
}

export async function listJoinLinks(db: Transaction, worldId: string): Promise<JoinLink[]> {
  const rows = await db.rows(list, [worldId])
  return rows.map(toJoinLink)
}

function toJoinLink(row: Row): JoinLink {
  const [id, reader, role, name, expiresAt, createdAt, withCharacter, status] = row as [
    string,
    LinkReader,
    MemberRole,
    string,
    string,
    string,
    string,
    string,
  ]
  return {
    id,
    reader,
    role,
    name,
    expiresAt: toTimestamp(expiresAt),
    createdAt: toTimestamp(createdAt),
    withCharacter: withCharacter === 't',
    status,
  }
}

const revoke: Statement = {
  name: 'revoke-join-link',
  text: `
    update membership.join_links l
    set status = case when l.status = 'open' then 'revoked' else l.status end
    where l.id = $2::uuid and l.world_id = $1::uuid
    returning l.id`,
}

/** Leaves a used link as it is; false when there is no such link. */
export async function revokeJoinLink(db: Transaction, worldId: string, id: string): Promise<boolean> {
  const rows = await db.rows(revoke, [worldId, id])
  return rows.length === 1
}

// Index: join_links_digest_key.
const find: Statement = {
  name: 'find-open-link',
  text: `
    select ${columns}, l.world_id, l.sponsor_account, l."character", w.owner_account, a.name
    from membership.join_links l
    join membership.worlds w on w.id = l.world_id
    join membership.accounts a on a.id = w.owner_account
    where l.digest = any ($1::text[]) and l.status = 'open' and l.expires_at > now() and w.state = 'open'`,
}

export interface OpenLink extends JoinLink {
  readonly worldId: string
  readonly sponsorAccount: string | null
  readonly character: string | null
  readonly ownerAccount: string
  readonly ownerName: string
}

/** What a code opens, while it does. */
export async function findOpenLink(db: Transaction, digests: readonly string[]): Promise<OpenLink | undefined> {
  const [row] = await db.rows(find, [digests])
  if (row === undefined) return undefined
  const [worldId, sponsorAccount, character, ownerAccount, ownerName] = row.slice(8) as [
    string,
    string | null,
    string | null,
    string,
    string,
  ]
  return { ...toJoinLink(row), worldId, sponsorAccount, character, ownerAccount, ownerName }
}

const spend: Statement = {
  name: 'spend-join-link',
  text: `
    update membership.join_links l
    set status = 'used'
    where l.id = $1::uuid and l.status = 'open' and l.expires_at > now()
      and l.sponsor_account is not distinct from $2::uuid
    returning l.id`,
}

/** False when the link was spent or revoked, has expired, or got another sponsor since it was read. */
export async function spendJoinLink(tx: Transaction, id: string, sponsorAccount: string | null): Promise<boolean> {
  const rows = await tx.rows(spend, [id, sponsorAccount])
  return rows.length === 1
}
