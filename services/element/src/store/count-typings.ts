import { type Database, nameByText, toInteger } from '@worlds/runtime/postgres'
import { type Reader, readerSql } from '@worlds/views/reader'
import { seesSql } from '@worlds/views/view-sql'
import type { Standing } from './read-element'

export interface TypingCount {
  readonly supertype: string
  readonly subtype: string
  readonly used: number
}

export interface TypingCounts extends Standing {
  readonly counts: readonly TypingCount[]
}

/** How often each supertype and subtype stands on an element of the category that the reader sees. */
export async function countTypings(
  database: Database,
  worldId: string,
  type: string,
  reader: Reader,
): Promise<TypingCounts> {
  const values: unknown[] = [worldId, type]
  const param = (value: unknown) => `$${values.push(value)}`
  const text = `
      select h.auth_version, c.supertype, c.subtype, c.used
      from element.world_heads h
      left join lateral (
        select e.supertype, e.subtype, count(*) as used
        from element.elements e -- elements_by_type_and_place
        where e.world_id = h.world_id and e.type = $2::text and e.supertype <> ''
          and ${seesSql(reader.view, 'e', param)}
        group by e.supertype, e.subtype
      ) c on true
      where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`
  const rows = await database.rows(nameByText(text), values)
  const [first] = rows
  if (first === undefined) return { authVersion: null, counts: [] }
  return {
    authVersion: toInteger(first[0]),
    counts: rows.flatMap(([, supertype, subtype, used]) =>
      used === null ? [] : { supertype: String(supertype), subtype: String(subtype), used: toInteger(used) },
    ),
  }
}
