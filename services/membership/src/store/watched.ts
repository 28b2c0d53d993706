import { type Row, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Watched } from '../domain/records'
import { storedDigests } from './key-digests'

// Index: keys_digest_key.
const findReadKey: Statement = {
  name: 'find-live-read-key',
  text: `
    select k.id, k.world_id, k.last4
    from membership.keys k
    join membership.worlds o on o.id = k.world_id
    where k.digest = any ($1::text[]) and k.scope = 'read' and not k.legacy and k.revoked_at is null
      and o.state = 'open'`,
}

export interface ReadKey {
  readonly id: string
  readonly worldId: string
  readonly last4: string
}

export async function findLiveReadKey(db: Transaction, digests: readonly string[]): Promise<ReadKey | undefined> {
  const [row] = await db.rows(findReadKey, [storedDigests(digests)])
  if (row === undefined) return undefined
  const [id, worldId, last4] = row as [string, string, string]
  return { id, worldId, last4 }
}

const insert: Statement = {
  name: 'insert-watched',
  text: `
    insert into membership.watched (id, account_id, key_id, world_id, world_name, last4)
    select $1::uuid, a.id, $3::uuid, $4::uuid, $5::text, $6::text
    from membership.accounts a
    where a.id = $2::uuid and a.deleted_at is null
    for share
    on conflict (account_id, key_id) do nothing
    returning id`,
}

export interface NewWatched {
  readonly id: string
  readonly accountId: string
  readonly key: ReadKey
  readonly worldName: string
}

/** False when the account watches by this key already. */
export async function insertWatched(db: Transaction, watched: NewWatched): Promise<boolean> {
  const { id, accountId, key, worldName } = watched
  const rows = await db.rows(insert, [id, accountId, key.id, key.worldId, worldName, key.last4])
  return rows.length === 1
}

const select = `
    select w.id, w.world_id, w.world_name, w.last4, w.added_at,
      k.revoked_at is null and o.state is not distinct from 'open' and k.id is not null
    from membership.watched w
    left join membership.keys k on k.id = w.key_id
    left join membership.worlds o on o.id = w.world_id`

// Index: watched_key_key.
const list: Statement = {
  name: 'list-watched',
  text: `${select}
    where w.account_id = $1::uuid
    order by w.added_at, w.id`,
}

export async function listWatched(db: Transaction, accountId: string): Promise<Watched[]> {
  const rows = await db.rows(list, [accountId])
  return rows.map(toWatched)
}

// Index: watched_key_key.
const read: Statement = {
  name: 'read-watched',
  text: `${select}
    where w.account_id = $1::uuid and w.key_id = $2::uuid`,
}

export async function readWatched(db: Transaction, accountId: string, keyId: string): Promise<Watched | undefined> {
  const [row] = await db.rows(read, [accountId, keyId])
  return row === undefined ? undefined : toWatched(row)
}

function toWatched(row: Row): Watched {
  const [id, worldId, worldName, last4, addedAt, works] = row as [string, string, string, string, string, string]
  return { id, worldId, worldName, last4, addedAt: toTimestamp(addedAt), stale: works !== 't' }
}

// Index: watched_pkey.
const keepNames: Statement = {
  name: 'keep-watched-names',
  text: `
    update membership.watched w
    set world_name = n.name
    from unnest($1::uuid[], $2::text[]) as n (id, name)
    where w.id = n.id`,
}

export async function keepWorldNames(db: Transaction, names: ReadonlyMap<string, string>): Promise<void> {
  if (names.size > 0) await db.rows(keepNames, [[...names.keys()], [...names.values()]])
}

const remove: Statement = {
  name: 'delete-watched',
  text: 'delete from membership.watched w where w.id = $1::uuid and w.account_id = $2::uuid returning w.id',
}

export async function deleteWatched(db: Transaction, accountId: string, id: string): Promise<boolean> {
  const rows = await db.rows(remove, [id, accountId])
  return rows.length === 1
}

const removeAll: Statement = {
  name: 'delete-all-watched',
  text: 'delete from membership.watched w where w.account_id = $1::uuid',
}

export async function deleteAllWatched(tx: Transaction, accountId: string): Promise<void> {
  await tx.rows(removeAll, [accountId])
}
