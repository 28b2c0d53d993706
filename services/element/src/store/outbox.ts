import type { Database, Row } from '@worlds/runtime/postgres'
import type { DeletedElements, DeletedWorld } from '@worlds/runtime/queues'

/** What must be told, and under which id, however often. */
export interface OutboxRow {
  readonly id: string
  readonly job: DeletedElements | DeletedWorld
}

/** `materialized` keeps the planner from running the part that locks more than once. */
export const claimOutboxStatement = {
  name: 'claim-outbox',
  text: `
    with due as materialized (
      select o.world_id, o.id
      from element.outbox o -- outbox_by_due
      where o.due_at <= now()
      order by o.due_at
      limit $1::int
      for update skip locked
    )
    update element.outbox o -- outbox_pkey
    set due_at = now() + $2::bigint * interval '1 millisecond'
    from due d
    where o.world_id = d.world_id and o.id = d.id
    returning o.world_id, o.id, o.kind, o.payload`,
}

/** Takes due rows for `leaseMs`; one that is still there by then is due again, for any process. */
export async function claimOutbox(database: Database, limit: number, leaseMs: number): Promise<OutboxRow[]> {
  const rows = await database.rows(claimOutboxStatement, [limit, leaseMs])
  return rows.map(toOutboxRow)
}

export async function deleteOutbox(database: Database, { id, job }: OutboxRow): Promise<void> {
  await database.rows(
    {
      name: 'delete-outbox',
      text: `
        delete from element.outbox o -- outbox_pkey
        where o.world_id = $1::uuid and o.id = $2::uuid`,
    },
    [job.worldId, id],
  )
}

/** Seconds since the oldest row came. */
export async function ageOfOutbox(database: Database): Promise<number> {
  const [row] = await database.rows(
    {
      name: 'age-of-outbox',
      text: `
        select coalesce(extract(epoch from now() - o.created_at), 0)
        from (select min(n.created_at) as created_at from element.outbox n) o`,
    },
    [],
  )
  return Number(row?.[0])
}

function toOutboxRow([world, id, kind, payload]: Row): OutboxRow {
  const worldId = String(world)
  if (kind === 'world') return { id: String(id), job: { kind, worldId } }
  const elements = JSON.parse(String(payload)) as DeletedElements['elements']
  return { id: String(id), job: { kind: 'elements', worldId, elements } }
}
