import type { Row, Statement, Transaction } from '@worlds/runtime/postgres'
import type { World } from '../domain/records'

const insertOpening: Statement = {
  name: 'insert-world',
  text: `
    insert into membership.worlds (id, owner_account, state)
    select $1::uuid, a.id, 'opening'
    from membership.accounts a
    where a.id = $2::uuid and a.deleted_at is null
    for share
    returning id`,
}

/** False when there is no such account. */
export async function insertOpeningWorld(db: Transaction, id: string, ownerAccount: string): Promise<boolean> {
  const rows = await db.rows(insertOpening, [id, ownerAccount])
  return rows.length === 1
}

const markOpen: Statement = {
  name: 'mark-world-open',
  text: `update membership.worlds w set state = 'open' where w.id = $1::uuid and w.state = 'opening'`,
}

/** Leaves a world that was deleted meanwhile as it is. */
export async function markWorldOpen(db: Transaction, id: string): Promise<void> {
  await db.rows(markOpen, [id])
}

// Index: worlds_pkey.
const lockOpen: Statement = {
  name: 'lock-open-world',
  text: `select w.id from membership.worlds w where w.id = $1::uuid and w.state = 'open' for share`,
}

/** False when the world is not open; else it stays so until the transaction ends. */
export async function lockOpenWorld(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.rows(lockOpen, [id])
  return rows.length === 1
}

const markDeleted: Statement = {
  name: 'mark-world-deleted',
  text: `
    update membership.worlds w
    set state = 'deleted'
    where w.id = $1::uuid and w.owner_account = $2::uuid and w.state = 'open'
    returning w.id`,
}

export async function markWorldDeleted(db: Transaction, id: string, ownerAccount: string): Promise<boolean> {
  const rows = await db.rows(markDeleted, [id, ownerAccount])
  return rows.length === 1
}

// Index: worlds_owner_idx.
const markAllDeleted: Statement = {
  name: 'mark-worlds-deleted',
  text: `
    update membership.worlds w
    set state = 'deleted'
    where w.owner_account = $1::uuid and w.state <> 'deleted'
    returning w.id`,
}

/** The worlds of an account that were not deleted before, those on their way to be opened too. */
export async function markWorldsDeleted(tx: Transaction, ownerAccount: string): Promise<string[]> {
  const rows = await tx.rows(markAllDeleted, [ownerAccount])
  return rows.map(([id]) => id as string)
}

const read: Statement = {
  name: 'read-world',
  text: `
    select w.id, w.public_read, w.owner_account, a.pin_digest
    from membership.worlds w
    join membership.accounts a on a.id = w.owner_account
    where w.id = $1::uuid and w.state = 'open'`,
}

export interface OwnedWorld extends World {
  readonly ownerAccount: string
  readonly ownerPinDigest: string | null
}

export async function readOpenWorld(db: Transaction, id: string): Promise<OwnedWorld | undefined> {
  const [row] = await db.rows(read, [id])
  if (row === undefined) return undefined
  const [, , ownerAccount, ownerPinDigest] = row as [string, string, string, string | null]
  return { ...toWorld(row), ownerAccount, ownerPinDigest }
}

// Index: worlds_owner_idx.
const listOwned: Statement = {
  name: 'list-worlds',
  text: `
    select w.id, w.public_read
    from membership.worlds w
    where w.owner_account = $1::uuid and w.state = 'open'
    order by w.created_at, w.id`,
}

export async function listOwnedWorlds(db: Transaction, ownerAccount: string): Promise<World[]> {
  const rows = await db.rows(listOwned, [ownerAccount])
  return rows.map(toWorld)
}

function toWorld(row: Row): World {
  const [id, publicRead] = row as [string, string]
  return { id, publicRead: publicRead === 't' }
}

const setPublicRead: Statement = {
  name: 'set-public-read',
  text: `
    update membership.worlds w
    set public_read = $3::boolean
    where w.id = $1::uuid and w.owner_account = $2::uuid and w.state = 'open'
    returning w.id`,
}

export async function updatePublicRead(
  db: Transaction,
  id: string,
  ownerAccount: string,
  publicRead: boolean,
): Promise<boolean> {
  const rows = await db.rows(setPublicRead, [id, ownerAccount, publicRead])
  return rows.length === 1
}
