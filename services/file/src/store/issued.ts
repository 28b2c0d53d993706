import { type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'

const ages: Statement = {
  name: 'file-ticket-ages',
  text: `
    select f.id, (extract(epoch from clock_timestamp() - f.issued_at) * 1000)::bigint
    from file.files f -- files_issued
    where f.world_id = $1::uuid and f.issued_at > clock_timestamp() - $2::bigint * interval '1 millisecond'`,
}

/** File tickets of a world that were issued within a time, whatever became of them. */
export async function agesOfFileTickets(
  tx: Transaction,
  worldId: string,
  withinMs: number,
): Promise<{ id: string; ageMs: number }[]> {
  const rows = await tx.rows(ages, [worldId, withinMs])
  return rows.map(([id, age]) => ({ id: String(id), ageMs: Math.max(toInteger(age), 0) }))
}

const today: Statement = {
  name: 'image-tickets-today',
  text: `
    select count(*)
    from file.images i -- images_issued
    where i.world_id = $1::uuid and i.issued_at >= date_trunc('day', clock_timestamp())`,
}

/** Image tickets of a world that were issued on this day, UTC. */
export async function countImageTickets(tx: Transaction, worldId: string): Promise<number> {
  const [row] = await tx.rows(today, [worldId])
  return toInteger(row?.[0])
}
