import { type Database, toInteger } from '@worlds/runtime/postgres'
import type { StoredReceipt } from '../domain/facts'
import type { ReceiptKey } from '../domain/intent'

/** Hash of the request that a key was first used with, while its receipt stands. */
export async function findReceiptHash(
  database: Database,
  worldId: string,
  { scope, key }: ReceiptKey,
  lifeMs: number,
): Promise<string | null> {
  const [row] = await database.rows(
    {
      name: 'find-receipt',
      text: `
        select r.request_hash from element.receipts r -- receipts_pkey
        where r.world_id = $1::uuid and r.scope = $2::text and r.key = $3::text
          and r.created_at > now() - $4::bigint * interval '1 millisecond'`,
    },
    [worldId, scope, key, lifeMs],
  )
  return row?.[0] ?? null
}

/** Returns the reply that was committed for a key and this very request, while its receipt stands. */
export async function findReceipt(
  database: Database,
  worldId: string,
  receipt: ReceiptKey,
  lifeMs: number,
): Promise<StoredReceipt | null> {
  const [row] = await database.rows(
    {
      name: 'find-receipt-reply',
      text: `
        select r.status, r.reply from element.receipts r -- receipts_pkey
        where r.world_id = $1::uuid and r.scope = $2::text and r.key = $3::text and r.request_hash = $4::text
          and r.created_at > now() - $5::bigint * interval '1 millisecond'`,
    },
    [worldId, receipt.scope, receipt.key, receipt.hash, lifeMs],
  )
  return row === undefined ? null : { ...receipt, status: toInteger(row[0]), reply: String(row[1]) }
}

/** Deletes receipts whose time is over, some at a time. */
export async function purgeReceipts(database: Database, lifeMs: number): Promise<void> {
  for (let deleted = batch; deleted === batch; ) deleted = await purgeSome(database, lifeMs)
}

const batch = 1_000

async function purgeSome(database: Database, lifeMs: number): Promise<number> {
  const rows = await database.rows(
    {
      name: 'purge-receipts',
      text: `
        delete from element.receipts r
        where (r.world_id, r.scope, r.key) in (
          select o.world_id, o.scope, o.key from element.receipts o -- receipts_by_age
          where o.created_at < now() - $1::bigint * interval '1 millisecond'
          order by o.created_at limit ${batch} for update skip locked)
        returning 1`,
    },
    [lifeMs],
  )
  return rows.length
}
