import { updatedAtOf } from '@worlds/domain/element-body'
import { cutPage, needsSums, pageBytes } from '@worlds/runtime/page'
import { type Database, type Row, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import { showRow } from '@worlds/views/cut-body'
import type { Reader } from '@worlds/views/reader'
import { changesSql } from './changes-sql'

/** A member's count of the times that its view moved otherwise than its feed tells. */
export interface Epoch {
  readonly count: number
  /** Of the last move; null before any. */
  readonly reason: 'role' | 'view' | null
  /** Count after the last change of the role. */
  readonly lastRole: number
}

export interface Changes {
  /** Null when the world is absent or closed, or the reader no longer who it was found to be. */
  readonly authVersion: number | null
  readonly head: number
  readonly timeline: number
  /** Of the head row: counters that only rise while the timeline is the same, some with every change of the world. */
  readonly versions: readonly number[]
  /** Null for the owner. */
  readonly epoch: Epoch | null
  /** JSON text of the records, in place order. */
  readonly records: readonly string[]
  readonly hasMore: boolean
  /** Place and id of the last record. */
  readonly last: { readonly seq: number; readonly id: string } | null
  /** Bytes of the largest element that the world has had. */
  readonly largest: number
}

const nothing: Changes = {
  authVersion: null,
  head: 0,
  timeline: 0,
  versions: [],
  epoch: null,
  records: [],
  hasMore: false,
  last: null,
  largest: 0,
}

/** `limit` 0 reads the head alone. */
export async function readChanges(
  database: Database,
  worldId: string,
  reader: Reader,
  after: number,
  limit: number,
  most = pageBytes,
): Promise<Changes> {
  const { plain, summed, values: own } = changesSql(reader)
  const values = [worldId, after, limit, limit + 1, ...own]
  let rows = await database.rows(plain, values)
  const [first] = rows
  if (first === undefined) return nothing
  if (limit > 0 && needsSums(toInteger(first[3]), limit + 1)) rows = await database.rows(summed, values)
  // The head that counts is the one of the same snapshot as the page.
  const [head] = rows
  if (head === undefined) return nothing
  const page = cutPage(
    rows.flatMap((row) => (row[7] === null ? [] : toRecord(row))),
    limit,
    most,
  )
  const last = page.items.at(-1)
  return {
    authVersion: toInteger(head[0]),
    head: toInteger(head[1]),
    timeline: toInteger(head[2]),
    versions: [head[1], head[0], head[18], head[19]].map(toInteger),
    epoch: toEpoch(head),
    records: page.items.map(({ text }) => text),
    hasMore: page.hasMore,
    last: last === undefined ? null : { seq: last.seq, id: last.id },
    largest: toInteger(head[3]),
  }
}

function toEpoch([, , , , count, reason, lastRole]: Row): Epoch | null {
  if (count === null || count === undefined) return null
  return { count: toInteger(count), reason: reason as Epoch['reason'], lastRole: toInteger(lastRole) }
}

interface FeedRecord {
  readonly seq: number
  readonly id: string
  readonly text: string
  /** Bytes of the element that it shows. */
  readonly size: number
}

function toRecord(row: Row): FeedRecord {
  const [, , , , , , , place, key, type, body, tail, unseen, deletedAt, deletedBy, deletedVia, reason, stored] = row
  const [seq, id] = [toInteger(place), String(key)]
  if (body === null || body === undefined || tail === null || tail === undefined) {
    const by = deletedBy === null ? 'null' : `"${deletedBy}"`
    const text =
      `{"op":"delete","type":"${type}","id":"${id}","change_seq":${seq},"deleted_at":"${toTimestamp(String(deletedAt))}",` +
      `"deleted_by":${by},"deleted_via":"${deletedVia}","reason":"${reason}"}`
    return { seq, id, text, size: Number(stored) }
  }
  const at = updatedAtOf(tail)
  const { text: element, size } = showRow(body, tail, unseen, stored)
  const text = `{"op":"upsert","type":"${type}","id":"${id}","updated_at":"${at}","change_seq":${seq},"element":${element}}`
  return { seq, id, text, size }
}
