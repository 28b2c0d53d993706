import { type Database, nameByText, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import { type Reader, readerSql } from '@worlds/views/reader'
import type { Standing } from './read-element'

export interface Marks extends Standing {
  /** JSON text of the marks, newest first. */
  readonly marks: readonly string[]
}

/** No auth version when the reader is no longer who it was found to be. */
export async function listMarks(database: Database, worldId: string, reader: Reader): Promise<Marks> {
  const values: unknown[] = [worldId]
  const standing = readerSql(reader, (value) => `$${values.push(value)}`)
  const text = `
        select h.auth_version, m.type, m.id, m.set_at, m.set_by
        from element.world_heads h
        left join element.marks m on m.world_id = h.world_id -- marks_pkey
        where h.world_id = $1::uuid and not h.closed ${standing}
        order by m.place desc`
  const rows = await database.rows(nameByText(text), values)
  const [first] = rows
  if (first === undefined) return { authVersion: null, marks: [] }
  const marks = rows.flatMap(([, type, id, setAt, setBy]) =>
    setAt === null ? [] : [JSON.stringify({ type, id, set_at: toTimestamp(String(setAt)), set_by: setBy })],
  )
  return { authVersion: toInteger(first[0]), marks }
}
