import { containsPattern, foldName } from '@worlds/domain/fold'
import { cutPage, needsSums, pageSql } from '@worlds/runtime/page'
import { type Database, nameByText, type Statement, toInteger } from '@worlds/runtime/postgres'
import { showRow } from '@worlds/views/cut-body'
import { type Reader, readerSql } from '@worlds/views/reader'
import { grantedSql, type Param, seesSql, tailSql, unseenSql } from '@worlds/views/view-sql'
import type { Standing } from './read-element'

export interface ListRequest {
  readonly worldId: string
  readonly type: string
  readonly limit: number
  readonly after: number
  readonly filters: readonly { readonly name: string; readonly value: string }[]
  readonly reader: Reader
}

export interface Page extends Standing {
  readonly bodies: readonly string[]
  /** Their places. */
  readonly places: readonly number[]
  readonly hasMore: boolean
  /** Bytes of the largest element that the world has had. */
  readonly largest: number
}

/** One page in change order, in one statement and so in one snapshot. No auth version when the reader has changed. */
export async function listElements(database: Database, request: ListRequest): Promise<Page> {
  const { worldId, type, limit, after } = request
  const values: unknown[] = [worldId, type, after, limit + 1]
  const param = (value: unknown) => `$${values.push(value)}`
  const sql = sqlOf(filterOf(request.filters, param), request.reader, param)
  const read = (sums: boolean) => database.rows(statementOf(sql, sums), values)
  let rows = await read(false)
  if (rows[0] !== undefined && needsSums(toInteger(rows[0][1]), limit + 1)) rows = await read(true)
  // Nor has the second statement found anything when its reader has changed since the first.
  const [first] = rows
  if (first === undefined) return { authVersion: null, bodies: [], places: [], hasMore: false, largest: 0 }
  const found = rows.flatMap(([, , place, body, tail, size, unseen]) =>
    place === null ? [] : { place: toInteger(place), ...showRow(body, tail, unseen, size) },
  )
  const page = cutPage(found, limit)
  return {
    authVersion: toInteger(first[0]),
    bodies: page.items.map(({ text }) => text),
    places: page.items.map(({ place }) => place),
    hasMore: page.hasMore,
    largest: toInteger(first[1]),
  }
}

export interface IdsRequest extends Omit<ListRequest, 'limit' | 'after'> {
  /** Null for all. */
  readonly limit: number | null
  readonly offset: number
}

/** Ids of a whole list in its order, in one snapshot; some, from an offset on, where there is a limit. */
export async function listIds(database: Database, request: IdsRequest): Promise<Standing & { ids: string[] }> {
  const { worldId, type, limit, offset } = request
  const values: unknown[] = [worldId, type, 0, limit === null ? null : offset + limit, offset]
  const param = (value: unknown) => `$${values.push(value)}`
  const bare = { limit: '$4::bigint', shows: false }
  const { rows, reader } = sqlOf(filterOf(request.filters, param), request.reader, param, bare)
  const text = `
      select h.auth_version, p.id
      from element.world_heads h
      left join lateral (
        select e.id, e.change_seq from ${rows}
        order by e.change_seq
        limit $4::bigint - $5::bigint offset $5::bigint
      ) p on true
      where h.world_id = $1::uuid and not h.closed ${reader}
      order by p.change_seq`
  const found = await database.rows(nameByText(text), values)
  const [first] = found
  if (first === undefined) return { authVersion: null, ids: [] }
  return { authVersion: toInteger(first[0]), ids: found.flatMap(([, id]) => id ?? []) }
}

interface ListSql {
  /** Where the page's rows `e` come from, with what they must meet. */
  readonly rows: string
  /** Column of the link ids that the view does not see; empty for a view that sees all. */
  readonly unseen: string
  readonly reader: string
}

function statementOf({ rows, unseen, reader }: ListSql, sums: boolean): Statement {
  const rowsOf = (condition: string) => `
        select e.change_seq, e.body, ${tailSql('e')} as tail, e.size${unseen === '' ? '' : `, ${unseen} as unseen`}
        from ${rows} ${condition}
        order by e.change_seq
        limit $4::int`
  const text = `
      select h.auth_version, h.largest, p.change_seq, p.body, p.tail, p.size${unseen === '' ? '' : ', p.unseen'}
      from element.world_heads h
      ${pageSql(rowsOf, sums, unseen !== '')}
      where h.world_id = $1::uuid and not h.closed ${reader}
      order by p.change_seq`
  return nameByText(text)
}

interface Filter {
  readonly join: string
  readonly where: string
  readonly index: string
}

/** Leaves out what the view does not see before the page is cut to its length (B3). */
function sqlOf(
  { join, where, index }: Filter,
  reader: Reader,
  param: Param,
  { limit, shows }: { limit: string; shows: boolean } = { limit: '$4::int', shows: true },
): ListSql {
  const { view } = reader
  // Whose Character is not seen is not found by it either.
  const target =
    join === '' || view.all
      ? ''
      : ` and exists (
              select 1 from element.elements c where c.world_id = l.world_id and c.id = l.target_id
                and ${seesSql(view, 'c', param)})`
  const met = `${where}${target}`
  const standing = readerSql(reader, param)
  const unseen = view.all || !shows ? '' : unseenSql(view, 'e', param)
  if (view.all || view.open) {
    const sees = view.all ? '' : `and ${seesSql(view, 'e', param)}`
    const rows = `element.elements e -- ${index}
        ${join}
        where e.world_id = $1::uuid and e.type = $2::text and e.change_seq > $3::bigint ${met} ${sees}`
    return { rows, unseen, reader: standing }
  }
  const page = { type: 'and %.type = $2::text', after: '$3::bigint', limit, join, where: met }
  const rows = `(${grantedSql(view, page, param)}) s
        join element.elements e on e.world_id = $1::uuid and e.id = s.id -- elements_pkey
        where true`
  return { rows, unseen, reader: standing }
}

/** Trigrams need three characters: a shorter text is looked for in the page's own order. */
const trigram = 3

function filterOf(filters: ListRequest['filters'], param: Param): Filter {
  let join = ''
  let where = ''
  let index = 'elements_by_type_and_place'
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
