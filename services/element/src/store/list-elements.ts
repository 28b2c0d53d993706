import { containsPattern, foldName } from '@worlds/domain/fold'
import type { View } from '@worlds/domain/view'
import { cutPage, needsSums, pageSql } from '@worlds/runtime/page'
import { type Database, nameByText, type Statement, toInteger } from '@worlds/runtime/postgres'
import { cutBody } from './cut-body'
import type { Standing } from './read-element'
import { seesSql, unseenSql } from './view-sql'

export interface ListRequest {
  readonly worldId: string
  readonly type: string
  readonly limit: number
  readonly after: number
  readonly filters: readonly { readonly name: string; readonly value: string }[]
  readonly view: View
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
  const filter = withView(filterOf(request.filters, values), request.view, values)
  const read = (sums: boolean) => database.rows(statementOf(filter, sums), values)
  let rows = await read(false)
  const [first] = rows
  if (first === undefined) return { authVersion: null, bodies: [], places: [], hasMore: false }
  if (needsSums(toInteger(first[1]), limit + 1)) rows = await read(true)
  const found = rows.filter((row) => row[2] !== null)
  const page = cutPage(found, limit, 5)
  return {
    authVersion: toInteger(first[0]),
    bodies: page.rows.map((row) => `${cutBody(String(row[3]), row[6])}${row[4]}`),
    places: page.rows.map((row) => toInteger(row[2])),
    hasMore: page.hasMore,
  }
}

function statementOf({ join, where, index, unseen }: FilterSql, sums: boolean): Statement {
  const rowsOf = (condition: string) => `
        select e.change_seq, e.body, e.tail, e.size${unseen === '' ? '' : `, ${unseen} as unseen`}
        from element.elements e -- ${index}
        ${join}
        where e.world_id = $1::uuid and e.type = $2::text and e.change_seq > $3::bigint ${where} ${condition}
        order by e.change_seq
        limit $4::int`
  const text = `
      select h.auth_version, h.largest, p.change_seq, p.body, p.tail, p.size${unseen === '' ? '' : ', p.unseen'}
      from element.world_heads h
      ${pageSql(rowsOf, sums)}
      where h.world_id = $1::uuid and not h.closed
      order by p.change_seq`
  return nameByText(text)
}

interface FilterSql {
  readonly join: string
  readonly where: string
  readonly index: string
  /** Column of the link ids that the view does not see; empty for a view that sees all. */
  readonly unseen: string
}

/** Leaves out what the view does not see before the page is cut to its length (B3). */
function withView(filter: FilterSql, view: View, values: unknown[]): FilterSql {
  if (view.all) return filter
  const param = (value: unknown) => `$${values.push(value)}`
  // Whose Character is not seen is not found by it either.
  const target =
    filter.join === ''
      ? ''
      : ` and exists (
              select 1 from element.elements c where c.world_id = l.world_id and c.id = l.target_id
                and ${seesSql(view, 'c', param)})`
  const where = `${filter.where} and ${seesSql(view, 'e', param)}${target}`
  return { ...filter, where, unseen: unseenSql(view, 'e', param) }
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
  return { join, where, index, unseen: '' }
}
