import { createHash } from 'node:crypto'
import { containsPattern, foldName } from '@worlds/domain/fold'
import { cutPage, needsSums, pageSql } from '@worlds/runtime/page'
import { type Database, type Statement, toInteger } from '@worlds/runtime/postgres'
import type { Standing } from './read-element'

export interface ListRequest {
  readonly worldId: string
  readonly type: string
  readonly limit: number
  readonly after: number
  readonly filters: readonly { readonly name: string; readonly value: string }[]
}

export interface Page extends Standing {
  readonly bodies: readonly string[]
  /** Their places. */
  readonly places: readonly number[]
  readonly hasMore: boolean
}

/** One page in change order, in one statement and so in one snapshot. */
export async function listElements(database: Database, request: ListRequest): Promise<Page> {
  const { worldId, type, limit, after } = request
  const values: unknown[] = [worldId, type, after, limit + 1]
  const filter = filterOf(request.filters, values)
  const read = (sums: boolean) => database.rows(statementOf(filter, sums), values)
  let rows = await read(false)
  const [first] = rows
  if (first === undefined) return { authVersion: null, bodies: [], places: [], hasMore: false }
  if (needsSums(toInteger(first[1]), limit + 1)) rows = await read(true)
  const found = rows.filter((row) => row[2] !== null)
  const page = cutPage(found, limit, 5)
  return {
    authVersion: toInteger(first[0]),
    bodies: page.rows.map((row) => `${row[3]}${row[4]}`),
    places: page.rows.map((row) => toInteger(row[2])),
    hasMore: page.hasMore,
  }
}

function statementOf({ join, where, index }: FilterSql, sums: boolean): Statement {
  const rowsOf = (condition: string) => `
        select e.change_seq, e.body, e.tail, e.size
        from element.elements e -- ${index}
        ${join}
        where e.world_id = $1::uuid and e.type = $2::text and e.change_seq > $3::bigint ${where} ${condition}
        order by e.change_seq
        limit $4::int`
  const text = `
      select h.auth_version, h.largest, p.change_seq, p.body, p.tail, p.size
      from element.world_heads h
      ${pageSql(rowsOf, sums)}
      where h.world_id = $1::uuid and not h.closed
      order by p.change_seq`
  return { name: nameOf(text), text }
}

const names = new Map<string, string>()

/** A name of its own for each text: filters combine into some dozens. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `list-elements-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  names.set(text, name)
  return name
}

interface FilterSql {
  readonly join: string
  readonly where: string
  readonly index: string
}

/** Trigrams need three characters: a shorter text is looked for in the page's own order. */
const trigram = 3

function filterOf(filters: ListRequest['filters'], values: unknown[]): FilterSql {
  let join = ''
  let where = ''
  let index = 'elements_by_type_and_place'
  const param = (value: unknown) => `$${values.push(value)}`
  for (const { name, value } of filters) {
    if (name === 'characters') {
      // Found from the Character's side: links_pkey, then elements_pkey.
      join += `join element.links l on l.world_id = e.world_id and l.target_id = ${param(value)}::uuid
          and l.field = 'characters' and l.source_id = e.id`
    } else if (name === 'name__icontains' || name === 'name') {
      const text = name === 'name' ? foldName(value) : value
      const pattern = param(containsPattern(text))
      if (text.length >= trigram) {
        index = 'names_by_trigram, elements_pkey'
        where += ` and e.id in (
              select n.id from element.names n
              where n.world_id = $1::uuid and n.folded_name like ${pattern}::text)`
      } else {
        where += ` and e.folded_name like ${pattern}::text`
      }
      if (name === 'name') where += ` and e.name = ${param(value)}::text`
    } else {
      where += ` and e.${name === 'supertype' ? 'supertype' : 'subtype'} = ${param(value)}::text`
    }
  }
  return { join, where, index }
}
