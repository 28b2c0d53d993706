/** What a reader sees, by ids and by image, without its bodies. */
import { type Database, nameByText, type Row, type Statement, toInteger } from '@worlds/runtime/postgres'
import { oncePerReader, type Reader, readerSql } from '@worlds/views/reader'
import { type Param, seesSql } from '@worlds/views/view-sql'
import { uuidArray } from './binary-array'
import type { Standing } from './read-element'

export interface Seen {
  readonly id: string
  readonly type: string
  /** Place that it took as it was made. */
  readonly birth: number
}

export interface FoundOne extends Standing {
  readonly element: (Seen & { readonly createdBy: string | null }) | null
  /** Of the agent that reads; empty for anybody else. */
  readonly name: string
}

export interface FoundSome extends Standing {
  readonly elements: readonly Seen[]
}

export interface FoundImage extends Standing {
  readonly referenced: boolean
}

export async function findElement(
  database: Database,
  worldId: string,
  type: string,
  id: string,
  reader: Reader,
): Promise<FoundOne> {
  const { statement, values } = sightSql(reader).one
  const [row] = await database.rows(statement, [worldId, id, type, ...values])
  if (row === undefined) return { authVersion: null, element: null, name: '' }
  const [authVersion, name, createdBy = null, ...seen] = row
  const [element] = toSeen(seen)
  return {
    authVersion: toInteger(authVersion),
    element: element === undefined ? null : { ...element, createdBy },
    name: name ?? '',
  }
}

/** In no order; ids that are not seen, or are none of this world's, are left out. */
export async function findElements(
  database: Database,
  worldId: string,
  ids: readonly string[],
  reader: Reader,
): Promise<FoundSome> {
  const { statement, values } = sightSql(reader).some
  const rows = await database.rows(statement, [worldId, uuidArray(ids), ...values])
  const [first] = rows
  if (first === undefined) return { authVersion: null, elements: [] }
  return { authVersion: toInteger(first[0]), elements: rows.flatMap(([, ...seen]) => toSeen(seen)) }
}

export interface Births {
  readonly world: 'open' | 'closed' | 'absent'
  readonly elements: readonly Seen[]
}

/** Of those of the ids that are there. */
export async function findBirths(database: Database, worldId: string, ids: readonly string[]): Promise<Births> {
  const rows = await database.rows(
    {
      name: 'find-births',
      text: `
        select h.closed, e.id, e.type, e.birth
        from element.world_heads h
        left join element.elements e -- elements_pkey
          on e.world_id = h.world_id and e.id = any ($2::uuid[]) and not h.closed
        where h.world_id = $1::uuid`,
    },
    [worldId, uuidArray(ids)],
  )
  const [first] = rows
  if (first === undefined) return { world: 'absent', elements: [] }
  return { world: first[0] === 't' ? 'closed' : 'open', elements: rows.flatMap(([, ...seen]) => toSeen(seen)) }
}

/** The world's own image is everybody's to see. */
export async function findImageUrl(
  database: Database,
  worldId: string,
  url: string,
  reader: Reader,
): Promise<FoundImage> {
  const { statement, values } = sightSql(reader).image
  const [row] = await database.rows(statement, [worldId, url, ...values])
  return row === undefined
    ? { authVersion: null, referenced: false }
    : { authVersion: toInteger(row[0]), referenced: row[1] === 't' }
}

function toSeen([id = null, type, birth]: Row): Seen[] {
  return id === null ? [] : [{ id, type: String(type), birth: toInteger(birth) }]
}

interface Sql {
  readonly statement: Statement
  /** What follows the request's own values. */
  readonly values: readonly unknown[]
}

type SightSql = Readonly<Record<'one' | 'some' | 'image', Sql>>

const sightSql = oncePerReader(
  (reader): SightSql => ({
    one: write(oneText, reader, 3),
    some: write(someText, reader, 2),
    image: write(imageText, reader, 2),
  }),
)

function write(text: SightText, reader: Reader, given: number): Sql {
  const values: unknown[] = []
  const param = (value: unknown) => `$${values.push(value) + given}`
  return { statement: nameByText(text(reader, seesSql(reader.view, 'e', param), param)), values }
}

/** `sees` is whether the reader sees the element row `e`. */
type SightText = (reader: Reader, sees: string, param: Param) => string

/** `$1` world, `$2` id, `$3` category. */
function oneText(reader: Reader, sees: string, param: Param): string {
  return `
    select h.auth_version, ${nameSql(reader, param)}, e.created_by, e.id, e.type, e.birth
    from element.world_heads h
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = $2::uuid and e.type = $3::text and ${sees}
    where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`
}

function nameSql({ member }: Reader, param: Param): string {
  if (member === null) return 'null'
  return `(select n.name from element.members n -- members_pkey
      where n.world_id = h.world_id and n.member_id = ${param(member.id)}::uuid and n.kind = 'agent')`
}

/** `$1` world, `$2` ids. */
function someText(reader: Reader, sees: string, param: Param): string {
  return `
    select h.auth_version, e.id, e.type, e.birth
    from element.world_heads h
    left join element.elements e -- elements_pkey
      on e.world_id = h.world_id and e.id = any ($2::uuid[]) and ${sees}
    where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`
}

/** `$1` world, `$2` URL. */
function imageText(reader: Reader, sees: string, param: Param): string {
  return `
    select h.auth_version, $2::text <> '' and (w.image_url = $2::text or (
      select e.id from element.elements e -- elements_by_image_url
      where e.world_id = h.world_id and md5(e.image_url) = md5($2::text) and e.image_url <> ''
        and e.image_url = $2::text and ${sees}
      limit 1) is not null)
    from element.world_heads h
    join element.worlds w on w.world_id = h.world_id -- worlds_pkey
    where h.world_id = $1::uuid and not h.closed ${readerSql(reader, param)}`
}
