import type { Parameter } from './description'
import { elementId, ids } from './examples'
import { type Schema, uuid } from './schema'

interface PathParameter extends Parameter {
  readonly name: string
}

/** Ids in paths of the account, by the word before them. */
const owned: Readonly<Record<string, PathParameter>> = {
  tokens: idParameter('token_id', ids.token),
  keys: idParameter('key_id', ids.key),
  members: idParameter('member_id', ids.seat),
  invites: idParameter('invite_id', ids.invite),
  links: idParameter('link_id', ids.link),
  seats: idParameter('seat_id', ids.seat),
  watched: idParameter('watch_id', ids.watched),
}

/** A route's path with a category in place of `:type`, as the document has it. */
export function pathOf(path: string, slug: string | null): string {
  return path
    .replace(':type', slug ?? ':type')
    .split('/')
    .map((part, index, parts) =>
      part.startsWith(':') ? `{${pathParameter(part, parts[index - 1], slug).name}}` : part,
    )
    .join('/')
}

/** The parameters of a route's path; `given` are those that its description knows better. */
export function parametersOf(
  path: string,
  slug: string | null,
  given: Readonly<Record<string, Parameter>> = {},
): PathParameter[] {
  const parts = path.replace(':type', slug ?? ':type').split('/')
  return parts.flatMap((part, index) => {
    if (!part.startsWith(':')) return []
    const found = pathParameter(part, parts[index - 1], slug)
    return [{ ...found, ...given[found.name] }]
  })
}

export function parameterOf(place: 'query' | 'header', name: string, parameter: Parameter): Schema {
  return { name, in: place, ...parameter }
}

function pathParameter(part: string, before: string | undefined, slug: string | null): PathParameter {
  if (part === ':world') return idParameter('world_id', ids.world)
  if (part === ':file') return idParameter('file_id', ids.file)
  if (part === ':field') return { name: 'field', schema: { type: 'string' }, description: 'A field of the category.' }
  const own = slug === null ? owned[before ?? ''] : idParameter('id', elementId(slug))
  if (part !== ':id' || own === undefined) throw new Error(`nothing is known of ${part} after ${before}`)
  return own
}

function idParameter(name: string, example: string): PathParameter {
  return { name, schema: uuid, description: 'A UUID.', example }
}
