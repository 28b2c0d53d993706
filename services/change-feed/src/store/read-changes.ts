import { fullBody } from '@worlds/domain/element-body'
import { type Database, type Row, toInteger, toTimestamp } from '@worlds/runtime/postgres'

/** A page ends at this many bytes of bodies, though never before its first record. */
const pageBytes = 8 << 20

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
export const changesStatement = {
  name: 'read-changes',
  text: `
    select h.auth_version, h.head, h.timeline, p.found,
      p.change_seq, p.id, p.type, p.body, p.created_at, p.moved_at, p.created_by, p.deleted_by, p.deleted_via
    from element.world_heads h
    left join lateral (
      select r.*, sum(r.size) over (order by r.change_seq) - r.size as before, count(*) over () as found
      from (
        select u.* from (
          (select e.change_seq, e.id, e.type, e.body, e.created_at, e.updated_at as moved_at, e.created_by,
             null::uuid as deleted_by, null::text as deleted_via, e.size
           from element.elements e -- elements_by_place
           where e.world_id = $1::uuid and e.change_seq > $2::bigint
           order by e.change_seq
           limit $3::int)
          union all
          (select t.change_seq, t.id, t.type, null, null, t.deleted_at, null, t.deleted_by, t.deleted_via, 256
           from element.tombstones t -- tombstones_pkey
           where t.world_id = $1::uuid and t.change_seq > $2::bigint
           order by t.change_seq
           limit $3::int)
        ) u
        order by u.change_seq
        limit $3::int
      ) r
    ) p on p.before < $4::bigint
    where h.world_id = $1::uuid and not h.closed
    order by p.change_seq`,
}

export async function readChanges(database: Database, worldId: string, after: number, limit: number): Promise<Changes> {
  const rows = await database.rows(changesStatement, [worldId, after, limit === 0 ? 0 : limit + 1, pageBytes])
  const [first] = rows
  if (first === undefined) {
    return { authVersion: null, head: 0, timeline: 0, records: [], hasMore: false, last: null }
  }
  const shown = first[3] === null ? [] : rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    authVersion: toInteger(first[0]),
    head: toInteger(first[1]),
    timeline: toInteger(first[2]),
    records: shown.map(toRecord),
    hasMore: first[3] !== null && shown.length < toInteger(first[3]),
    last: last === undefined ? null : { seq: toInteger(last[4]), id: String(last[5]) },
  }
}

function toRecord(row: Row): string {
  const [, , , , seq, id, type, body, createdAt, movedAt, createdBy, deletedBy, deletedVia] = row
  const at = toTimestamp(String(movedAt))
  if (body === null || body === undefined) {
    const by = deletedBy === null ? 'null' : `"${deletedBy}"`
    return (
      `{"op":"delete","type":"${type}","id":"${id}","change_seq":${seq},"deleted_at":"${at}",` +
      `"deleted_by":${by},"deleted_via":"${deletedVia}","reason":"deleted"}`
    )
  }
  const element = fullBody(body, {
    createdAt: toTimestamp(String(createdAt)),
    updatedAt: at,
    changeSeq: Number(seq),
    createdBy: createdBy ?? null,
  })
  return `{"op":"upsert","type":"${type}","id":"${id}","updated_at":"${at}","change_seq":${seq},"element":${element}}`
}
