import type { Database } from '@worlds/runtime/postgres'
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
