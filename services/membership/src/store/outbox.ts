import type { Row, Statement, Transaction } from '@worlds/runtime/postgres'

export interface OutboxRow {
  readonly id: string
  readonly kind: string
  readonly worldId: string | null
  readonly payload: unknown
}

const insert: Statement = {
  name: 'insert-outbox',
  text: `
    insert into membership.outbox (id, kind, world_id, payload, due_at)
    values ($1::uuid, $2::text, $3::uuid, $4::jsonb, now() + $5::integer * interval '1 millisecond')`,
}

export async function insertOutbox(db: Transaction, row: OutboxRow, dueInMs: number): Promise<void> {
  await db.rows(insert, [row.id, row.kind, row.worldId, JSON.stringify(row.payload), dueInMs])
}

// Index: outbox_due_idx. `materialized` keeps the planner from running the locking part more than once.
const claim: Statement = {
  name: 'claim-outbox',
  text: `
    with due as materialized (
      select o.id
      from membership.outbox o
      where o.due_at <= now()
      order by o.due_at
      limit $1::integer
      for update skip locked
    )
    update membership.outbox o
    set due_at = now() + $2::integer * interval '1 millisecond'
    from due
    where o.id = due.id
    returning o.id, o.kind, o.world_id, o.payload`,
}

/** Takes due rows for `leaseMs`; one that is still there by then is due again, for any process. */
export async function claimOutbox(db: Transaction, limit: number, leaseMs: number): Promise<OutboxRow[]> {
  const rows = await db.rows(claim, [limit, leaseMs])
  return rows.map(toOutboxRow)
}

function toOutboxRow(row: Row): OutboxRow {
  const [id, kind, worldId, payload] = row as [string, string, string | null, string]
  return { id, kind, worldId, payload: JSON.parse(payload) as unknown }
}

const remove: Statement = {
  name: 'delete-outbox',
  text: 'delete from membership.outbox o where o.id = $1::uuid',
}

export async function deleteOutbox(db: Transaction, id: string): Promise<void> {
  await db.rows(remove, [id])
}

const age: Statement = {
  name: 'age-of-outbox',
  text: `
    select coalesce(extract(epoch from now() - o.created_at), 0)
    from (select min(n.created_at) as created_at from membership.outbox n) o`,
}

/** Seconds since the oldest errand came. */
export async function ageOfOutbox(db: Transaction): Promise<number> {
  const [row] = await db.rows(age, [])
  return Number(row?.[0])
}

// Index: outbox_pkey.
const read: Statement = {
  name: 'read-outbox',
  text: 'select o.id, o.kind, o.world_id, o.payload from membership.outbox o where o.id = $1::uuid',
}

export async function readOutbox(db: Transaction, id: string): Promise<OutboxRow | undefined> {
  const [row] = await db.rows(read, [id])
  return row === undefined ? undefined : toOutboxRow(row)
}
