/**
 * Finds elements by a text, best first: the whole name, its beginning, a part of it, then words of the text (D20). Each
 * way has its index, and each is gone only if those before it do not fill the page. What a reader does not see is left
 * out before a page is cut to its length.
 */
import type { SearchPlace } from '@worlds/domain/cursor'
import { updatedAtOf } from '@worlds/domain/element-body'
import { containsPattern, foldName } from '@worlds/domain/fold'
import { searchWays, wordsOf } from '@worlds/domain/words'
import { type Database, nameByText, toInteger } from '@worlds/runtime/postgres'
import { type Reader, readerSql } from '@worlds/views/reader'
import { type Param, seesSql } from '@worlds/views/view-sql'
import type { Standing } from './read-element'

export interface SearchRequest {
  readonly worldId: string
  readonly q: string
  /** Categories to look in; none for all. */
  readonly types: readonly string[]
  readonly limit: number
  readonly after: SearchPlace | null
  readonly reader: Reader
}

export interface Hit extends SearchPlace {
  /** JSON text. */
  readonly text: string
}

export interface Hits extends Standing {
  /** One more than the page holds, where there are more. */
  readonly hits: readonly Hit[]
}

export async function search(database: Database, request: SearchRequest): Promise<Hits> {
  const values: unknown[] = [request.worldId, request.limit + 1]
  const param = (value: unknown) => `$${values.push(value)}`
  const ways = waysOf(request, param)
  const text = `
      select h.auth_version, p.rank, p.folded_name, p.id, p.type, p.name, p.supertype, p.subtype, p.image_url, p.tail
      from element.world_heads h
      left join lateral (select w.* from (${ways.join(' union all ')}) w limit $2::int) p on true
      where h.world_id = $1::uuid and not h.closed ${readerSql(request.reader, param)}
      order by p.rank, p.folded_name collate "C", p.id`
  const rows = await database.rows(nameByText(text), values)
  const [first] = rows
  if (first === undefined) return { authVersion: null, hits: [] }
  return {
    authVersion: toInteger(first[0]),
    hits: rows.flatMap(([, rank, foldedName, id, type, name, supertype, subtype, image_url, tail]) =>
      rank === null
        ? []
        : {
            rank: toInteger(rank),
            foldedName: String(foldedName),
            id: String(id),
            text: JSON.stringify({
              ...{ type, id, name, supertype, subtype, image_url },
              updated_at: updatedAtOf(String(tail)),
            }),
          },
    ),
  }
}

/** Trigrams need three characters: a shorter part is looked for in the names' own order. */
const trigram = 3

/** Ways to find names, best first. A statement names only the parameters it uses: so each way makes its own. */
function waysOf(request: SearchRequest, param: Param): string[] {
  const { q, types, after, reader } = request
  const folded = foldName(q)
  const end = afterAll(folded)
  const words = [...wordsOf(q)].map((word) => `'${word}'`).join(' & ')
  const name = 'n.folded_name collate "C"'
  const is = () => `${name} = ${param(folded)}::text`
  const begins = () => `(${name} >= ${param(folded)}::text ${end === null ? '' : `and ${name} < ${param(end)}::text`})`
  const holds = (alias: string) => `${alias}.folded_name like ${param(containsPattern(q))}::text`
  const inOrder = (condition: string) => `element.names n -- names_in_order
            where n.world_id = $1::uuid and ${condition}`
  // `offset 0` holds the planner to an order: of names by the index named, of elements by the names that were found.
  const byTrigrams = () => `(
              select t.world_id, t.id, t.folded_name from element.names t -- names_by_trigram
              where t.world_id = $1::uuid and ${holds('t')}
              offset 0
            ) n
            where not ${begins()}`

  const byWords = () => `(
              select w.world_id, w.id from element.words w -- words_by_word
              where w.world_id = $1::uuid and w.words @@ ${param(words)}::tsquery
              offset 0
            ) w
            join element.names n on n.world_id = w.world_id and n.id = w.id -- names_pkey
            where not ${holds('n')}`
  const ways = [
    () => inOrder(is()),
    () => inOrder(`${begins()} and not ${is()}`),
    () => (folded.length < trigram ? inOrder(`${holds('n')} and not ${begins()}`) : byTrigrams()),
    byWords,
  ]
  // Where everything found is a hit, the page is cut before any element is looked at.
  const isAll = reader.view.all && types.length === 0
  const cut = `order by ${name}, n.id limit $2::int`
  return ways.slice(0, searchWays(q)).flatMap((way, rank) => {
    if (rank < (after?.rank ?? 0)) return []
    const rest =
      after?.rank === rank ? `and (${name}, n.id) > (${param(after.foldedName)}::text, ${param(after.id)}::uuid)` : ''
    const ofTypes = types.length === 0 ? '' : `and e.type = any (${param(types)}::text[])`
    return `(
          select ${rank} as rank, n.folded_name, n.id, e.type, e.name, e.supertype, e.subtype, e.image_url, e.tail
          from (
            select n.world_id, n.id, n.folded_name from ${way()} ${rest} ${isAll ? cut : ''}
          ) n
          cross join lateral (
            select e.* from element.elements e -- elements_pkey
            where e.world_id = n.world_id and e.id = n.id
            offset 0
          ) e
          where ${seesSql(reader.view, 'e', param)} ${ofTypes}
          ${cut})`
  })
}

/** The first text, by code points, after all that begin with this one; null where none is. */
function afterAll(text: string): string | null {
  const points = [...text]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0
    // Between these lie the halves of pairs, which are no characters.
    if (point < 0x10ffff) return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1)
  }
  return null
}
