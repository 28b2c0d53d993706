import type { Database } from '@worlds/runtime/postgres'

/** Worlds that are marked in one go. */
export const atOnce = 1_000

/**
 * Gives worlds a timeline that none of their cursors can carry, and versions that no cache can hold: the clock's, for what
 * was counted before the restore is not known any longer. All worlds after an id, or the one.
 */
export async function markRestored(database: Database, after: string, only: string | null): Promise<string[]> {
  const rows = await database.rows(
    {
      name: 'mark-restored',
      text: `
        with worlds as (
          select h.world_id
          from element.world_heads h -- world_heads_pkey
          where h.world_id > $1::uuid and ($2::uuid is null or h.world_id = $2::uuid)
          order by h.world_id
          limit ${atOnce}
        ), clock as (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now),
        marked as (
          update element.world_heads h
          set timeline = greatest(h.timeline + 1, c.now), auth_version = greatest(h.auth_version + 1, c.now),
              view_version = greatest(h.view_version + 1, c.now)
          from worlds w, clock c
          where h.world_id = w.world_id
          returning h.world_id
        )
        select m.world_id from marked m order by m.world_id`,
    },
    [after, only],
  )
  return rows.map(([id]) => String(id))
}
