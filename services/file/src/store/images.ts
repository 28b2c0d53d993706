/** Images: their rows, and what becomes of them. Changes are made under the account's lock. */
import { type Row, type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'

export interface Image {
  readonly worldId: string
  readonly id: string
  readonly accountId: string
  /** Null until it was reported. */
  readonly key: string | null
  readonly bytes: number
  readonly state: 'reserved' | 'listed' | 'removed' | 'void'
  /** Milliseconds for which a removal ticket of it may still be used; 0 when there is none. */
  readonly removalMs: number
}

const columns = `i.world_id, i.id, i.account_id, i.key, coalesce(i.bytes, 0), i.state,
      coalesce(greatest(ceil(extract(epoch from i.removal_until - clock_timestamp()) * 1000), 0), 0)::bigint`

const reserve: Statement = {
  name: 'reserve-image',
  text: `
    insert into file.images (world_id, id, account_id, membership, settle_at)
    values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, clock_timestamp() + $5::bigint * interval '1 millisecond')`,
}

export interface NewImage extends Pick<Image, 'worldId' | 'id' | 'accountId'> {
  readonly membership: string | null
}

export async function reserveImage(tx: Transaction, image: NewImage, settleInMs: number): Promise<void> {
  await tx.rows(reserve, [image.worldId, image.id, image.accountId, image.membership, settleInMs])
}

const read: Statement = {
  name: 'read-image',
  text: `select ${columns} from file.images i where i.world_id = $1::uuid and i.id = $2::uuid -- images_pkey`,
}

export async function readImage(db: Transaction, worldId: string, id: string): Promise<Image | null> {
  const [row] = await db.rows(read, [worldId, id])
  return row === undefined ? null : toImage(row)
}

const byKey: Statement = {
  name: 'find-image',
  text: `select ${columns} from file.images i where i.world_id = $1::uuid and i.key = $2::text -- images_by_key`,
}

export async function findImage(db: Transaction, worldId: string, key: string): Promise<Image | null> {
  const [row] = await db.rows(byKey, [worldId, key])
  return row === undefined ? null : toImage(row)
}

const openTicket: Statement = {
  name: 'has-open-image-ticket',
  text: `
    select 1
    from file.images i -- images_open
    where i.world_id = $1::uuid and i.state = 'reserved'
      and i.issued_at > clock_timestamp() - $2::bigint * interval '1 millisecond'
    limit 1`,
}

/** Whether a ticket of the world is younger than its life, and nothing was reported of it. */
export async function hasOpenTicket(db: Transaction, worldId: string, lifeMs: number): Promise<boolean> {
  return (await db.rows(openTicket, [worldId, lifeMs])).length > 0
}

const list: Statement = {
  name: 'list-image',
  text: `
    update file.images i set state = 'listed', key = $3::text, bytes = $4::bigint, added_at = clock_timestamp()
    where i.world_id = $1::uuid and i.id = $2::uuid and i.state = 'reserved'`,
}

export async function markImageListed(tx: Transaction, image: Image, key: string, bytes: number): Promise<void> {
  await tx.rows(list, [image.worldId, image.id, key, bytes])
}

const change: Statement = {
  name: 'change-image',
  text: `
    update file.images i set state = $4::text, removal_until = null
    where i.world_id = $1::uuid and i.id = $2::uuid and i.state = $3::text
    returning 1`,
}

/** False when it was not, or no longer, in the state that it was thought to be in. */
export async function changeImage(
  tx: Transaction,
  { worldId, id }: Pick<Image, 'worldId' | 'id'>,
  from: Image['state'],
  to: Image['state'],
): Promise<boolean> {
  return (await tx.rows(change, [worldId, id, from, to])).length > 0
}

const beginRemoval: Statement = {
  name: 'begin-image-removal',
  text: `
    update file.images i set removal_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
    where i.world_id = $1::uuid and i.id = $2::uuid and i.state = 'listed'
      and (i.removal_until is null or i.removal_until <= clock_timestamp())
    returning 1`,
}

/** False when another removal ticket may still be used. */
export async function beginImageRemoval(db: Transaction, { worldId, id }: Image, lifeMs: number): Promise<boolean> {
  return (await db.rows(beginRemoval, [worldId, id, lifeMs])).length > 0
}

const ofAccount: Statement = {
  name: 'images-of-account',
  text: `
    select ${columns}
    from file.images i -- images_of_account
    where i.account_id = $1::uuid and i.state = $2::text and (i.world_id, i.id) > ($3::uuid, $4::uuid)
    order by i.world_id, i.id
    limit $5::integer`,
}

export const beginning = { worldId: '00000000-0000-0000-0000-000000000000', id: '00000000-0000-0000-0000-000000000000' }

/** Listed or reserved images of an account, in the order of worlds and ids. */
export async function listImagesOf(
  db: Transaction,
  accountId: string,
  state: 'listed' | 'reserved',
  after: Pick<Image, 'worldId' | 'id'>,
  limit: number,
): Promise<Image[]> {
  return (await db.rows(ofAccount, [accountId, state, after.worldId, after.id, limit])).map(toImage)
}

const removed: Statement = {
  name: 'removed-images-of-account',
  text: `
    select i.id
    from file.images i -- images_removed
    where i.account_id = $1::uuid and i.state = 'removed'
      and i.issued_at > clock_timestamp() - $2::bigint * interval '1 millisecond'`,
}

/** Images that went within a time of their tickets. */
export async function listRemovedOf(db: Transaction, accountId: string, withinMs: number): Promise<string[]> {
  return (await db.rows(removed, [accountId, withinMs])).map(([id]) => String(id))
}

const ofWorld: Statement = {
  name: 'images-of-world',
  text: `
    select ${columns}
    from file.images i -- images_pkey
    where i.world_id = $1::uuid and i.state in ('listed', 'removed') and i.id > $2::uuid
    order by i.id
    limit $3::integer`,
}

/** Images of a world that are there, and those whose keys are kept from being taken again. */
export async function listWorldImages(
  db: Transaction,
  worldId: string,
  after: string,
  limit: number,
): Promise<Image[]> {
  return (await db.rows(ofWorld, [worldId, after, limit])).map(toImage)
}

function toImage([worldId, id, accountId, key, bytes, state, removalMs]: Row): Image {
  return {
    worldId: String(worldId),
    id: String(id),
    accountId: String(accountId),
    key: key ?? null,
    bytes: toInteger(bytes),
    state: state as Image['state'],
    removalMs: toInteger(removalMs),
  }
}
