import { updatedAtOf } from '@worlds/domain/element-body'
import { cutPage, needsSums, pageSql } from '@worlds/runtime/page'
import { type Database, type Row, type Statement, toInteger, toTimestamp } from '@worlds/runtime/postgres'

export interface Changes {
  /** Null when the world is absent or closed. */
  readonly authVersion: number | null
  readonly head: number
  readonly timeline: number
  /** JSON text of the records, in place order. */
  readonly records: readonly string[]
  readonly hasMore: boolean
  /** Place and id of the last record. */
  readonly last: { readonly seq: number; readonly id: string } | null
}

/**
 * The head row with the live elements and the tombstones after a place, merged by place: one
 * statement, so one snapshot, in which every place up to the head is either there or superseded.
 */
export function changesStatement(sums: boolean): Statement {
  const rowsOf = (condition: string) => `
        select u.* from (
          (select e.change_seq, e.id, e.type, e.body, e.tail, null::timestamptz as deleted_at, null::uuid as deleted_by,
             null::text as deleted_via, e.size
           from element.elements e -- elements_by_place
           where e.world_id = $1::uuid and e.change_seq > $2::bigint ${condition}
           order by e.change_seq
           limit $4::int)
          union all
          (select t.change_seq, t.id, t.type, null, null, t.deleted_at, t.deleted_by, t.deleted_via, 256
           from element.tombstones t -- tombstones_pkey
           where t.world_id = $1::uuid and t.change_seq > $2::bigint ${condition}
           order by t.change_seq
           limit $4::int)
        ) u
        where $3::int > 0
        order by u.change_seq
        limit $4::int`
  return {
    name: `read-changes${sums ? ' sums' : ''}`,
    text: `
      select h.auth_version, h.head, h.timeline, h.largest,
        p.change_seq, p.id, p.type, p.body, p.tail, p.deleted_at, p.deleted_by, p.deleted_via, p.size
      from element.world_heads h
      ${pageSql(rowsOf, sums)}
      where h.world_id = $1::uuid and not h.closed
      order by p.change_seq`,
  }
}

const plain = changesStatement(false)
const summed = changesStatement(true)

/** `limit` 0 reads the head alone. */
export async function readChanges(database: Database, worldId: string, after: number, limit: number): Promise<Changes> {
  const values = [worldId, after, limit, limit + 1]
  let rows = await database.rows(plain, values)
  const [first] = rows
  if (first === undefined) {
    return { authVersion: null, head: 0, timeline: 0, records: [], hasMore: false, last: null }
  }
  if (limit > 0 && needsSums(toInteger(first[3]), limit + 1)) rows = await database.rows(summed, values)
  // The head that counts is the one of the same snapshot as the page.
  const [head] = rows
  const page = cutPage(
    rows.filter((row) => row[4] !== null),
    limit,
    12,
  )
  const last = page.rows.at(-1)
  return {
    authVersion: toInteger(head?.[0]),
    head: toInteger(head?.[1]),
    timeline: toInteger(head?.[2]),
    records: page.rows.map(toRecord),
    hasMore: page.hasMore,
    last: last === undefined ? null : { seq: toInteger(last[4]), id: String(last[5]) },
  }
}

function toRecord(row: Row): string {
  const [, , , , seq, id, type, body, tail, deletedAt, deletedBy, deletedVia] = row
  if (body === null || body === undefined || tail === null || tail === undefined) {
    const by = deletedBy === null ? 'null' : `"${deletedBy}"`
    return (
      `{"op":"delete","type":"${type}","id":"${id}","change_seq":${seq},"deleted_at":"${toTimestamp(String(deletedAt))}",` +
      `"deleted_by":${by},"deleted_via":"${deletedVia}","reason":"deleted"}`
    )
  }
  const at = updatedAtOf(tail)
  return `{"op":"upsert","type":"${type}","id":"${id}","updated_at":"${at}","change_seq":${seq},"element":${body}${tail}}`
}
