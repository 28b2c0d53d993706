import type { Database } from '@worlds/runtime/postgres'

/** Notes which member makes a seat, before the seat is put on the roll. A closed world takes no rows. */
export async function insertSeatMaker(
  database: Database,
  worldId: string,
  seatId: string,
  maker: string,
): Promise<void> {
  await database.rows(
    {
      name: 'insert-seat-maker',
      text: `
        insert into element.seat_makers (world_id, member_id, maker)
        select h.world_id, $2::uuid, $3::uuid
        from element.world_heads h -- world_heads_pkey
        where h.world_id = $1::uuid and not h.closed
        for share
        on conflict (world_id, member_id) do nothing`,
    },
    [worldId, seatId, maker],
  )
}
