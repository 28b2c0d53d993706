import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Account } from '../domain/records'

const insert: Statement = {
  name: 'insert-account',
  text: `
    insert into membership.accounts (id, name, pin_digest, password_hash)
    values ($1::uuid, $2::text, $3::text, $4::text)`,
}

export interface NewAccount {
  readonly id: string
  readonly name: string
  readonly pinDigest: string | null
  readonly passwordHash: string | null
}

export async function insertAccount(db: Transaction, account: NewAccount): Promise<void> {
  await db.rows(insert, [account.id, account.name, account.pinDigest, account.passwordHash])
}

const read: Statement = {
  name: 'read-account',
  text: `
    select a.id, a.name, a.pin_digest, a.created_at
    from membership.accounts a
    where a.id = $1::uuid and a.deleted_at is null`,
}

export async function readAccount(db: Transaction, id: string): Promise<Account | undefined> {
  const [row] = await db.rows(read, [id])
  return row === undefined ? undefined : toAccount(row)
}

// Index: accounts_pkey.
const readNamesById: Statement = {
  name: 'read-account-names',
  text: `
    select a.id, a.name
    from membership.accounts a
    where a.id = any ($1::uuid[]) and a.deleted_at is null`,
}

/** By id, without accounts that are unknown or deleted. */
export async function readNames(db: Transaction, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.rows(readNamesById, [ids])
  return new Map(rows.map(([id, name]) => [String(id), String(name)]))
}

function toAccount(row: Row): Account {
  const [id, name, pinDigest, createdAt] = row as [string, string, string | null, string]
  return { id, name, pinDigest, createdAt: toTimestamp(createdAt) }
}

const rename: Statement = {
  name: 'rename-account',
  text: 'update membership.accounts a set name = $2::text where a.id = $1::uuid and a.deleted_at is null',
}

export async function renameAccount(db: Transaction, id: string, name: string): Promise<void> {
  await db.rows(rename, [id, name])
}

const replacePinDigest: Statement = {
  name: 'replace-pin',
  text: `
    update membership.accounts a
    set pin_digest = $3::text
    where a.id = $1::uuid and a.pin_digest is not distinct from $2::text and a.deleted_at is null
    returning a.id`,
}

/** Sets the PIN only while it still is the one that the change was decided on; of two changes at once one wins. */
export async function replacePin(db: Transaction, id: string, from: string | null, to: string): Promise<boolean> {
  const rows = await db.rows(replacePinDigest, [id, from, to])
  return rows.length === 1
}

const lock: Statement = {
  name: 'lock-account',
  text: 'select a.id from membership.accounts a where a.id = $1::uuid and a.deleted_at is null for share',
}

/** False when there is no such account; else it stays until the transaction ends. */
export async function lockAccount(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.rows(lock, [id])
  return rows.length === 1
}

const markDeleted: Statement = {
  name: 'mark-account-deleted',
  text: `
    update membership.accounts a
    set deleted_at = now(), name = '', pin_digest = null, password_hash = null
    where a.id = $1::uuid and a.deleted_at is null
    returning a.id`,
}

/** Also empties the row of all that tells whose it was. */
export async function markAccountDeleted(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.rows(markDeleted, [id])
  return rows.length === 1
}
