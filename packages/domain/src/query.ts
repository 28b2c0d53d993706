/** Reads query strings strictly: what is unknown, malformed or sent twice is refused (L213 to L216, A32). */
import { decodeListCursor, decodeSearchCursor, type ListScope, type SearchPlace, type SearchScope } from './cursor'
import { isExtension } from './element-input'
import { clip, invalid as invalidRequest, type Refusal, RefusalError } from './errors'
import { isStorable } from './json-input'
import type { Presentation } from './presentation'
import { baseFields, type Category, categories, serverFields } from './registry'
import { readUuid } from './uuid'

const invalid = (param: string | null, message: string): Refusal => ({
  ...invalidRequest(param, message),
  where: 'query',
})

export type Query = ReadonlyMap<string, string>

/** With `known` given, all that has another name is passed over, however it is written. */
export function parseQuery(search: string, known: readonly string[] | null = null): Query {
  const query = new Map<string, string>()
  if (search === '') return query
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const sentName = equals < 0 ? pair : pair.slice(0, equals)
    if (known !== null && !known.includes(decoded(sentName) ?? '')) continue
    const name = decode(sentName, null)
    if (query.has(name)) throw new RefusalError(invalid(name, `${clip(name)} is sent twice.`))
    query.set(name, decode(equals < 0 ? '' : pair.slice(equals + 1), name))
  }
  return query
}

function decode(text: string, param: string | null): string {
  const plain = decoded(text)
  if (plain === null) throw new RefusalError(invalid(param, 'The query string is not well-formed.'))
  return plain
}

/** Null for what is not well-formed. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Whether a query names a parameter, whatever else is wrong with it. */
export function namesParam(search: string, name: string): boolean {
  return search.split('&').some((pair) => decoded(pair.split('=', 1)[0] ?? '') === name)
}

/** Refuses every parameter that is not among `known`. */
export function refuseUnknown(query: Query, known: readonly string[], hint = ''): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      throw new RefusalError(invalid(name, `Unknown query parameter: ${clip(name)}.${hint}`))
    }
  }
}

/** A whole number, clamped to 1 … `most`. */
export function readLimit(query: Query, fallback: number, most = 1000): number {
  const text = query.get('limit')
  if (text === undefined) return fallback
  if (!/^-?\d+$/.test(text)) throw new RefusalError(invalid('limit', 'limit takes a whole number.'))
  return Math.min(Math.max(Number(text), 1), most)
}

export interface ListQuery extends Presentation {
  readonly limit: number
  /** Place after which the page begins. */
  readonly after: number
  readonly filters: readonly (readonly [name: string, value: string])[]
  /** What a cursor of this list is bound to. */
  readonly scope: ListScope
}

/** Parameters of every list; a category's filters come beside them. */
export const listParams = ['limit', 'cursor', 'expand', 'fields', 'as'] as const

export function readListQuery(
  category: Category,
  worldId: string,
  query: Query,
  extensionPrefixes: readonly string[],
): ListQuery {
  refuseUnknown(
    query,
    [...listParams, ...category.filters],
    ` Filters of ${category.slug}: ${category.filters.join(', ')}.`,
  )
  const limit = readLimit(query, 100)
  const filters = category.filters.flatMap((name) => {
    const value = query.get(name)
    return value === undefined ? [] : [[name, readFilter(name, value)] as const]
  })
  const presentation = readPresentation(category, query, extensionPrefixes)
  const cursor = query.get('cursor')
  const as = query.get('as')
  const seen = as === undefined ? filters : [...filters, ['as', as] as const]
  const scope = { worldId, type: category.slug, filters: seen }
  const after = cursor === undefined ? 0 : decodeListCursor(scope, cursor)
  if (after === null) throw new RefusalError(invalid('cursor', 'The cursor was not given for this list.'))
  return { limit, after, filters, scope, ...presentation }
}

export interface SearchQuery {
  readonly limit: number
  /** Where the page before ended; null for the first. */
  readonly after: SearchPlace | null
  /** What a cursor of this search is bound to. */
  readonly scope: SearchScope
}

/** Code points of what is looked for. */
const longestSearch = 200

export const searchParams = ['q', 'type', 'limit', 'cursor', 'as'] as const

export function readSearchQuery(worldId: string, query: Query): SearchQuery {
  refuseUnknown(query, searchParams)
  const q = readSearchText(query.get('q'))
  const types = readTypes(query.get('type'))
  const limit = readLimit(query, 20, 100)
  const scope = { worldId, q, types, as: query.get('as') ?? '' }
  const cursor = query.get('cursor')
  const after = cursor === undefined ? null : decodeSearchCursor(scope, cursor)
  if (after === null && cursor !== undefined) {
    throw new RefusalError(invalid('cursor', 'The cursor was not given for this search.'))
  }
  return { limit, after, scope }
}

function readSearchText(sent: string | undefined): string {
  const q = (sent ?? '').trim()
  const isFit = q !== '' && isStorable(q) && [...q].length <= longestSearch
  if (!isFit) throw new RefusalError(invalid('q', `q takes 1 to ${longestSearch} characters.`))
  return q
}

function readTypes(sent: string | undefined): string[] {
  if (sent === undefined) return []
  const types = [...new Set(sent.split(',').map((type) => type.trim()))]
  const unknown = types.find((type) => !categories.has(type))
  if (unknown === undefined) return types
  throw new RefusalError(invalid('type', `There is no category "${clip(unknown)}".`))
}

export function readPresentation(category: Category, query: Query, extensionPrefixes: readonly string[]): Presentation {
  const expand = readNames(query, 'expand') ?? []
  for (const name of expand) {
    if (!category.links.has(name)) {
      throw new RefusalError(invalid('expand', `${clip(name)} is no link field of ${category.slug}.`))
    }
  }
  const fields = readNames(query, 'fields')
  for (const name of fields ?? []) {
    if (!isKey(category, name) && !isExtension(name, extensionPrefixes)) {
      throw new RefusalError(invalid('fields', `${clip(name)} is no field of ${category.slug}.`))
    }
  }
  return { expand, fields }
}

const keysOfEvery = new Set(['type', 'id', ...baseFields.map(({ name }) => name), ...serverFields])

function isKey(category: Category, name: string): boolean {
  return keysOfEvery.has(name) || category.writable.has(name)
}

function readNames(query: Query, param: string): string[] | null {
  const text = query.get(param)
  return text === undefined ? null : [...new Set(text.split(',').map((name) => name.trim()))]
}

function readFilter(name: string, value: string): string {
  if (name === 'characters') {
    const id = readUuid(value)
    if (id === null) throw new RefusalError(invalid(name, 'characters takes the id of a Character.'))
    return id
  }
  if (!value.isWellFormed() || value.includes('\0'))
    throw new RefusalError(invalid(name, `${name} holds no such text.`))
  return value
}
