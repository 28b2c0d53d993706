import type { Database } from '@worlds/runtime/postgres'

export interface FileToList {
  readonly worldId: string
  readonly id: string
  readonly bytes: number
  readonly key: string
  readonly hasRoom: boolean
}

/** Of all files of a world. */
export interface ListingRules {
  readonly room: string
  /** What the files of the world may take. */
  readonly cap: number
  /** When bytes are due to be deleted, should their file be given up. */
  readonly dueInMs: number
}

/** Any but the first three say why it was given up; its bytes are doomed then. */
export type Listed = 'listed' | 'settled' | 'unknown' | 'late' | 'orphan' | 'no room' | 'over the cap'

/** One after the other, in one call and one transaction; the outcomes in the same order. */
export async function listFiles(
  db: Database,
  worldId: string,
  files: readonly FileToList[],
  { room, cap, dueInMs }: ListingRules,
): Promise<Listed[]> {
  const rows = await db.rows(list, [
    worldId,
    files.map(({ id }) => id),
    files.map(({ bytes }) => bytes),
    files.map(({ key }) => key),
    room,
    cap,
    files.map(({ hasRoom }) => hasRoom),
    dueInMs,
  ])
  return rows.map(([outcome]) => String(outcome) as Listed)
}

const list = {
  name: 'list-stored-files',
  text: `
    select file.list_file(
      $1::uuid, f.id, f.bytes, f.key, $5::text, $6::bigint, f.has_room, $8::integer)
    from unnest($2::uuid[], $3::bigint[], $4::text[], $7::boolean[]) with ordinality
      as f (id, bytes, key, has_room, place)
    order by f.place`,
}
