import type { Database } from '@worlds/runtime/postgres'

export interface FileToList {
  readonly worldId: string
  readonly id: string
  readonly bytes: number
  readonly key: string
  readonly room: string
  /** What the files of the world may take. */
  readonly cap: number
  readonly hasRoom: boolean
  /** When its bytes are due to be deleted, should it be given up. */
  readonly dueInMs: number
}

/** Any but the first three say why it was given up; its bytes are doomed then. */
export type Listed = 'listed' | 'settled' | 'unknown' | 'late' | 'orphan' | 'no room' | 'over the cap'

/** One call and one transaction: every upload comes through here. */
export async function listFile(db: Database, file: FileToList): Promise<Listed> {
  const [row] = await db.rows(
    {
      name: 'list-file',
      text: `
        select file.list_file(
          $1::uuid, $2::uuid, $3::bigint, $4::text, $5::text, $6::bigint, $7::boolean, $8::integer)`,
    },
    [file.worldId, file.id, file.bytes, file.key, file.room, file.cap, file.hasRoom, file.dueInMs],
  )
  return String(row?.[0]) as Listed
}
