import { updatedAtOf } from '@worlds/domain/element-body'
import { cutPage, needsSums } from '@worlds/runtime/page'
import { type Database, type Row, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import { cutBody } from '@worlds/views/cut-body'
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
  /** Null for the owner. */
  readonly epoch: Epoch | null
  /** JSON text of the records, in place order. */
  readonly records: readonly string[]
  readonly hasMore: boolean
  /** Place and id of the last record. */
  readonly last: { readonly seq: number; readonly id: string } | null
}

const nothing: Changes = {
  authVersion: null,
  head: 0,
  timeline: 0,
  epoch: null,
  records: [],
  hasMore: false,
  last: null,
}

/** `limit` 0 reads the head alone. */
export async function readChanges(
  database: Database,
  worldId: string,
  reader: Reader,
  after: number,
  limit: number,
): Promise<Changes> {
  const values: unknown[] = [worldId, after, limit, limit + 1]
  const statement = changesSql(reader, (value) => `$${values.push(value)}`)
  let rows = await database.rows(statement(false), values)
  const [first] = rows
  if (first === undefined) return nothing
  if (limit > 0 && needsSums(toInteger(first[3]), limit + 1)) rows = await database.rows(statement(true), values)
  // The head that counts is the one of the same snapshot as the page.
  const [head] = rows
  if (head === undefined) return nothing
  const found = rows.filter((row) => row[7] !== null)
  const page = cutPage(found, limit, 17)
  const last = page.rows.at(-1)
  return {
    authVersion: toInteger(head[0]),
    head: toInteger(head[1]),
    timeline: toInteger(head[2]),
    epoch: toEpoch(head),
    records: page.rows.map(toRecord),
    hasMore: page.hasMore,
    last: last === undefined ? null : { seq: toInteger(last[7]), id: String(last[8]) },
  }
}

function toEpoch([, , , , count, reason, lastRole]: Row): Epoch | null {
  if (count === null || count === undefined) return null
  return { count: toInteger(count), reason: reason as Epoch['reason'], lastRole: toInteger(lastRole) }
}

function toRecord(row: Row): string {
  const [, , , , , , , seq, id, type, body, tail, unseen, deletedAt, deletedBy, deletedVia, reason] = row
  if (body === null || body === undefined || tail === null || tail === undefined) {
    const by = deletedBy === null ? 'null' : `"${deletedBy}"`
    return (
      `{"op":"delete","type":"${type}","id":"${id}","change_seq":${seq},"deleted_at":"${toTimestamp(String(deletedAt))}",` +
      `"deleted_by":${by},"deleted_via":"${deletedVia}","reason":"${reason}"}`
    )
  }
  const at = updatedAtOf(tail)
  const element = `${cutBody(body, unseen)}${tail}`
  return `{"op":"upsert","type":"${type}","id":"${id}","updated_at":"${at}","change_seq":${seq},"element":${element}}`
}
