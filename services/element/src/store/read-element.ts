import type { View } from '@worlds/domain/view'
import { pageBytes } from '@worlds/runtime/page'
import { type Database, nameByText, type Statement, toInteger } from '@worlds/runtime/postgres'
import { cutBody, showRow } from '@worlds/views/cut-body'
import { oncePerReader, ownerReader, type Reader, readerSql } from '@worlds/views/reader'
import { seesSql, tailSql, unseenSql } from '@worlds/views/view-sql'
import { uuidArray } from './binary-array'

/** What a read finds of the world it is made in. */
export interface Standing {
  /** Null when the world is absent or closed, or the reader no longer who it was found to be. */
  readonly authVersion: number | null
}

const one = {
  name: 'read-element',
  text: `
    select h.auth_version, case when e.size <= $4::int then e.body end, ${tailSql('e')}, null, e.size
    from element.world_heads h
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = $2::uuid and e.type = $3::text
    where h.world_id = $1::uuid and not h.closed`,
}

/** Bytes of an element that is read without reserving them first. */
export const sizeReadAtOnce = 256 << 10

/** More than any element has. */
export const anySize = 2 ** 31 - 1

export interface FoundElement extends Standing {
  /** Full body; null when there is no such element, or it is larger than was asked for. */
  readonly body: string | null
  /** Bytes of the element; 0 when there is none. */
  readonly size: number
}

export async function readElement(
  database: Database,
  worldId: string,
  type: string,
  id: string,
  reader: Reader,
  largest: number,
): Promise<FoundElement> {
  const { statement, values } = oneAs(reader)
  const [row] = await database.rows(statement, [worldId, id, type, largest, ...values])
  if (row === undefined) return { authVersion: null, body: null, size: 0 }
  const [authVersion, body = null, tail, unseen, size] = row
  return {
    authVersion: toInteger(authVersion),
    body: body === null ? null : `${cutBody(body, unseen)}${tail}`,
    size: Number(size ?? 0),
  }
}

interface OneSql {
  readonly statement: Statement
  /** From `$5` on: `$1` world, `$2` id, `$3` category, `$4` the largest size whose body is read. */
  readonly values: readonly unknown[]
}

/** The same for another reader, with the link ids that it does not see. */
const oneAs = oncePerReader(
  (reader): OneSql => {
    const { view } = reader
    const values: unknown[] = []
    const param = (value: unknown) => `$${values.push(value) + 4}`
    const statement = nameByText(`
    select h.auth_version, case when e.size <= $4::int then e.body end, ${tailSql('e')},
      ${view.all ? 'null' : unseenSql(view, 'e', param)}, e.size
    from element.world_heads h
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = $2::uuid and e.type = $3::text and ${seesSql(view, 'e', param)}
    where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`)
    return { statement, values }
  },
  [[ownerReader, { statement: one, values: [] }]],
)

export interface FoundBodies extends Standing {
  /** In the order that was asked for; of elements that the reader sees. */
  readonly bodies: readonly { readonly id: string; readonly text: string }[]
  /** Their bodies fill a page: elements of later ids may be missing. */
  readonly isFull: boolean
}

/** Elements of one category by their ids: the first of them, until their bodies fill a page. */
export async function readElements(
  database: Database,
  worldId: string,
  type: string,
  ids: readonly string[],
  reader: Reader,
): Promise<FoundBodies> {
  const { view } = reader
  const values: unknown[] = [worldId, uuidArray(ids), type]
  const param = (value: unknown) => `$${values.push(value)}`
  const text = `
      select h.auth_version, p.id, p.body, p.tail, p.size, p.unseen
      from element.world_heads h
      left join lateral (
        select r.*, sum(r.size) over (order by r.at rows between unbounded preceding and 1 preceding) as before
        from (
          select n.at, e.id, e.body, ${tailSql('e')} as tail, e.size,
            ${view.all ? 'null' : unseenSql(view, 'e', param)} as unseen
          from unnest($2::uuid[]) with ordinality n (id, at)
          -- The limit keeps the planner from a join that reads all elements of the world.
          cross join lateral (
            select e.* from element.elements e -- elements_pkey
            where e.world_id = $1::uuid and e.id = n.id and e.type = $3::text and ${seesSql(view, 'e', param)}
            limit 1
          ) e
        ) r
      ) p on coalesce(p.before, 0) < ${pageBytes}
      where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`
  const rows = await database.rows(nameByText(text), values)
  const [first] = rows
  if (first === undefined) return { authVersion: null, bodies: [], isFull: false }
  const found = new Map(rows.map(([, id, body, tail, size, unseen]) => [id, { body, tail, size, unseen }]))
  const bodies = ids.flatMap((id) => {
    const row = found.get(id)
    return row === undefined ? [] : { id, text: showRow(row.body, row.tail, row.unseen, row.size).text }
  })
  const bytes = rows.reduce((sum, [, , , , size]) => sum + Number(size ?? 0), 0)
  return { authVersion: toInteger(first[0]), bodies, isFull: bytes >= pageBytes }
}

/** Whether an element was deleted and has not been made again. */
export async function wasDeleted(database: Database, worldId: string, type: string, id: string): Promise<boolean> {
  const rows = await database.rows(
    {
      name: 'was-deleted',
      text: `
        select 1 from element.tombstones t -- tombstones_by_id
        where t.world_id = $1::uuid and t.id = $2::uuid and t.type = $3::text and not exists (
          select 1 from element.elements e where e.world_id = t.world_id and e.id = t.id) -- elements_pkey
        limit 1`,
    },
    [worldId, id, type],
  )
  return rows.length > 0
}

/** Stubs of linked elements as JSON text, by id (L53). */
export async function readStubs(
  database: Database,
  worldId: string,
  ids: readonly string[],
  view: View,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const values: unknown[] = [worldId, uuidArray(ids)]
  const text = `
        select e.id, e.name, e.supertype, e.subtype, e.image_url
        from element.elements e -- elements_pkey
        where e.world_id = $1::uuid and e.id = any ($2::uuid[])
          and ${seesSql(view, 'e', (value) => `$${values.push(value)}`)}`
  const rows = await database.rows(nameByText(text), values)
  return new Map(
    rows.map(([id, name, supertype, subtype, image_url]) => [
      String(id),
      JSON.stringify({ id, name, supertype, subtype, image_url }),
    ]),
  )
}
