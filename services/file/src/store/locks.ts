/** The locks of this service: a world's, then an account's, in this order. */
import { type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'

const makeWorld: Statement = {
  name: 'make-world',
  text: 'insert into file.worlds (world_id) values ($1::uuid) on conflict do nothing',
}

const lockWorldRow: Statement = {
  name: 'lock-world',
  text: 'select w.used_bytes, w.closed from file.worlds w where w.world_id = $1::uuid for update',
}

export interface LockedWorld {
  /** What the listed files take. */
  readonly usedBytes: number
  readonly closed: boolean
}

/** Nothing of the world's files changes beside whoever holds it. */
export async function lockWorld(tx: Transaction, worldId: string): Promise<LockedWorld> {
  let [row] = await tx.rows(lockWorldRow, [worldId])
  if (row === undefined) {
    await tx.rows(makeWorld, [worldId])
    ;[row] = await tx.rows(lockWorldRow, [worldId])
  }
  return { usedBytes: toInteger(row?.[0]), closed: row?.[1] === 't' }
}

const makeAccount: Statement = {
  name: 'make-account',
  text: 'insert into file.accounts (account_id) values ($1::uuid) on conflict do nothing',
}

const lockAccountRow: Statement = {
  name: 'lock-account',
  text: 'select a.used_bytes, a.gone from file.accounts a where a.account_id = $1::uuid for update',
}

export interface LockedAccount {
  /** What its listed images take. */
  readonly usedBytes: number
  readonly gone: boolean
}

export async function lockAccount(tx: Transaction, accountId: string): Promise<LockedAccount> {
  let [row] = await tx.rows(lockAccountRow, [accountId])
  if (row === undefined) {
    await tx.rows(makeAccount, [accountId])
    ;[row] = await tx.rows(lockAccountRow, [accountId])
  }
  return { usedBytes: toInteger(row?.[0]), gone: row?.[1] === 't' }
}

/** Under the world's lock. */
export async function addToWorld(tx: Transaction, worldId: string, bytes: number): Promise<void> {
  await tx.rows(
    {
      name: 'add-to-world',
      text: 'update file.worlds w set used_bytes = w.used_bytes + $2::bigint where w.world_id = $1::uuid',
    },
    [worldId, bytes],
  )
}

/** Under the account's lock. */
export async function addToAccount(tx: Transaction, accountId: string, bytes: number): Promise<void> {
  await tx.rows(
    {
      name: 'add-to-account',
      text: 'update file.accounts a set used_bytes = a.used_bytes + $2::bigint where a.account_id = $1::uuid',
    },
    [accountId, bytes],
  )
}

export async function closeWorld(tx: Transaction, worldId: string): Promise<void> {
  await tx.rows({ name: 'close-world', text: 'update file.worlds w set closed = true where w.world_id = $1::uuid' }, [
    worldId,
  ])
}

export async function endPurge(db: Transaction, worldId: string): Promise<void> {
  await db.rows({ name: 'end-purge', text: 'update file.worlds w set purged_at = now() where w.world_id = $1::uuid' }, [
    worldId,
  ])
}

const toPurge: Statement = {
  name: 'worlds-and-accounts-to-purge',
  text: `
    (select w.world_id, null::uuid from file.worlds w where w.closed and w.purged_at is null limit 100) -- worlds_to_purge
    union all
    (select null, a.account_id from file.accounts a where a.gone and a.used_bytes > 0 limit 100) -- accounts_to_purge`,
}

/** Worlds and accounts that are gone, and whose files or images are not yet. */
export async function listToPurge(db: Transaction): Promise<{ worldId: string | null; accountId: string | null }[]> {
  const rows = await db.rows(toPurge, [])
  return rows.map(([worldId = null, accountId = null]) => ({ worldId, accountId }))
}

export async function endAccount(tx: Transaction, accountId: string): Promise<void> {
  await tx.rows({ name: 'end-account', text: 'update file.accounts a set gone = true where a.account_id = $1::uuid' }, [
    accountId,
  ])
}

export async function readStorage(db: Transaction, accountId: string): Promise<number> {
  const [row] = await db.rows(
    { name: 'read-storage', text: 'select a.used_bytes from file.accounts a where a.account_id = $1::uuid' },
    [accountId],
  )
  return row === undefined ? 0 : toInteger(row[0])
}
