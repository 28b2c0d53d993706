import { containsPattern, foldName } from '@worlds/domain/fold'
import { type Database, toInteger } from '@worlds/runtime/postgres'
import { type Standing, toFullBody } from './read-element'

/** A page ends at this many bytes of bodies, though never before its first element. */
const pageBytes = 8 << 20

export interface ListRequest {
  readonly worldId: string
  readonly type: string
  readonly limit: number
  readonly after: number
  readonly filters: readonly { readonly name: string; readonly value: string }[]
}

export interface Page extends Standing {
  readonly bodies: readonly string[]
  readonly hasMore: boolean
  /** Place of the last element; `after` on an empty page. */
  readonly last: number
}

/** One page in change order, in one statement and so in one snapshot. */
export async function listElements(database: Database, request: ListRequest): Promise<Page> {
  const { worldId, type, limit, after } = request
  const values: unknown[] = [worldId, type, after, limit + 1, pageBytes]
  const filter = filterOf(request.filters, values)
  const rows = await database.rows(
    {
      name: `list-elements${request.filters.map(({ name }) => ` ${name}`).join('')}${filter.variant}`,
      text: `
        select h.auth_version, p.found, p.change_seq, p.body, p.created_at, p.updated_at, p.change_seq, p.created_by
        from element.world_heads h
        left join lateral (
          select r.*, sum(r.size) over (order by r.change_seq) - r.size as before, count(*) over () as found
          from (
            select e.change_seq, e.body, e.created_at, e.updated_at, e.created_by, e.size
            from element.elements e -- ${filter.index}
            ${filter.join}
            where e.world_id = $1::uuid and e.type = $2::text and e.change_seq > $3::bigint ${filter.where}
            order by e.change_seq
            limit $4::int
          ) r
        ) p on p.before < $5::bigint
        where h.world_id = $1::uuid and not h.closed
        order by p.change_seq`,
    },
    values,
  )
  const [first] = rows
  if (first === undefined) return { authVersion: null, bodies: [], hasMore: false, last: after }
  const authVersion = toInteger(first[0])
  if (first[1] === null) return { authVersion, bodies: [], hasMore: false, last: after }
  const shown = rows.slice(0, limit)
  return {
    authVersion,
    bodies: shown.map((row) => toFullBody(row, 3)),
    hasMore: shown.length < toInteger(first[1]),
    last: toInteger(shown.at(-1)?.[2]),
  }
}

interface FilterSql {
  readonly join: string
  readonly where: string
  readonly index: string
  /** Tells apart statements that have the same filters. */
  readonly variant: string
}

/** Trigrams need three characters: a shorter text is looked for in the page's own order. */
const trigram = 3

function filterOf(filters: ListRequest['filters'], values: unknown[]): FilterSql {
  let join = ''
  let where = ''
  let index = 'elements_by_type_and_place'
  let variant = ''
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
        index = 'elements_by_name'
        variant += ' trigram'
        where += ` and e.id in (
              select n.id from element.elements n
              where n.world_id = $1::uuid and n.folded_name like ${pattern}::text)`
      } else {
        where += ` and e.folded_name like ${pattern}::text`
      }
      if (name === 'name') where += ` and e.name = ${param(value)}::text`
    } else {
      where += ` and e.${name === 'supertype' ? 'supertype' : 'subtype'} = ${param(value)}::text`
    }
  }
  return { join, where, index, variant }
}
