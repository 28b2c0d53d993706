import type { Row, Statement, Transaction } from '@worlds/runtime/postgres'

/** Bytes to delete, and the entry of a room to give back. */
export interface Doomed {
  readonly worldId: string
  /** The file's or image's id. */
  readonly id: string
  readonly keys: readonly string[]
  readonly room: string
}

const insert: Statement = {
  name: 'doom',
  text: `
    insert into file.doomed as d (world_id, id, keys, room, due_at)
    select n.world_id, n.id, string_to_array(n.keys, ','), n.room, now() + $5::integer * interval '1 millisecond'
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as n (world_id, id, keys, room)
    on conflict on constraint doomed_pkey do update set keys = d.keys || excluded.keys`,
}

/** `dueInMs` leaves whoever dooms them the time to delete them itself. */
export async function doom(tx: Transaction, doomed: readonly Doomed[], dueInMs: number): Promise<void> {
  if (doomed.length === 0) return
  await tx.rows(insert, [
    doomed.map(({ worldId }) => worldId),
    doomed.map(({ id }) => id),
    doomed.map(({ keys }) => keys.join()),
    doomed.map(({ room }) => room),
    dueInMs,
  ])
}

const claim: Statement = {
  name: 'claim-doomed',
  text: `
    with due as materialized (
      select d.world_id, d.id
      from file.doomed d -- doomed_due
      where d.due_at <= now()
      order by d.due_at
      limit $1::integer
      for update skip locked
    )
    update file.doomed d set due_at = now() + $2::integer * interval '1 millisecond'
    from due
    where d.world_id = due.world_id and d.id = due.id
    returning d.world_id, d.id, array_to_string(d.keys, ','), d.room`,
}

export async function claimDoomed(db: Transaction, limit: number, leaseMs: number): Promise<Doomed[]> {
  return (await db.rows(claim, [limit, leaseMs])).map(toDoomed)
}

const age: Statement = {
  name: 'age-of-doomed',
  text: `
    select coalesce(extract(epoch from now() - d.doomed_at), 0)
    from (select min(o.doomed_at) as doomed_at from file.doomed o) d`,
}

/** Seconds since the oldest of the bytes were given up that are not yet deleted. */
export async function ageOfDoomed(db: Transaction): Promise<number> {
  const [row] = await db.rows(age, [])
  return Number(row?.[0])
}

const end: Statement = {
  name: 'end-doomed',
  text: `
    delete from file.doomed d
    where d.world_id = $1::uuid and d.id = $2::uuid and array_to_string(d.keys, ',') = $3::text`,
}

/** Stays when more keys were added meanwhile. */
export async function endDoomed(db: Transaction, { worldId, id, keys }: Doomed): Promise<void> {
  await db.rows(end, [worldId, id, keys.join()])
}

function toDoomed([worldId, id, keys, room]: Row): Doomed {
  const text = String(keys)
  return { worldId: String(worldId), id: String(id), keys: text === '' ? [] : text.split(','), room: String(room) }
}
