import type { Database } from '@worlds/runtime/postgres'

export interface Departure {
  readonly worldId: string
  readonly memberId: string
}

/** From now on no read names the member as a creator. */
export async function departMember(database: Database, worldId: string, memberId: string): Promise<void> {
  await database.rows(
    {
      name: 'depart-member',
      text: `
        insert into element.departures (world_id, member_id)
        select h.world_id, $2::uuid from element.world_heads h where h.world_id = $1::uuid and not h.closed
        on conflict do nothing`,
    },
    [worldId, memberId],
  )
}

export async function listDepartures(database: Database): Promise<Departure[]> {
  const rows = await database.rows(
    {
      name: 'list-departures',
      text: 'select d.world_id, d.member_id from element.departures d order by d.departed_at limit 100',
    },
    [],
  )
  return rows.map(([worldId, memberId]) => ({ worldId: String(worldId), memberId: String(memberId) }))
}

/** Some elements that still name the member as their creator. */
export async function createdBy(database: Database, { worldId, memberId }: Departure, limit: number) {
  const rows = await database.rows(
    {
      name: 'created-by',
      text: `
        select e.id from element.elements e -- elements_by_creator
        where e.world_id = $1::uuid and e.created_by = $2::uuid
        limit $3::int`,
    },
    [worldId, memberId, limit],
  )
  return rows.map(([id]) => String(id))
}

export async function endDeparture(database: Database, { worldId, memberId }: Departure): Promise<void> {
  await database.rows(
    {
      name: 'end-departure',
      text: 'delete from element.departures d where d.world_id = $1::uuid and d.member_id = $2::uuid',
    },
    [worldId, memberId],
  )
}
