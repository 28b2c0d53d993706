/** Parameters that several routes take. */
import type { Category } from '@worlds/domain/registry'
import type { Parameter } from './description'
import { upTo, uuid } from './schema'

export const as: Parameter = {
  schema: { type: 'string', minLength: 1 },
  description:
    'Reads as another: a membership id, a Character id, or `public`. Only keys of the owner may. A deleted element is 410 to a co-builder or contributor.',
}

export const cursor: Parameter = {
  schema: { type: 'string', minLength: 1 },
  description: '`next_cursor` of the page before; it continues the same request alone.',
}

export const limit = (fallback: number, most: number, example?: number): Parameter => ({
  schema: { type: 'integer', default: fallback },
  description: `Rows of a page, 1 to ${most}; what lies beyond is clamped.`,
  ...(example === undefined ? {} : { example }),
})

export const ifMatch: Parameter = {
  schema: { type: 'string', pattern: '^(\\*|[0-9]{1,15}|"[0-9]{1,15}")$' },
  description:
    'A `change_seq`, bare or in double quotes: when the element has changed since, 412 and nothing is written. `*` matches any.',
}

export const ifNoneMatch: Parameter = {
  schema: { type: 'string' },
  description: 'An `ETag` that a reply gave: 304 while nothing has changed.',
}

export const idempotencyKey: Parameter = {
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  description:
    'The first 2xx reply is kept for 24 hours; the same request with the same key is answered with it and writes nothing.',
}

export function expand(category: Category): Parameter {
  return namesOf([...category.links.keys()], 'Link fields to show as stubs, by commas; one level deep.')
}

export function fieldsOf(category: Category): Parameter {
  const [name = 'name', link = 'description'] = category.writable.keys()
  return namesOf(
    null,
    `Keys to show, by commas, as \`${name},${link}\`; \`type\`, \`id\` and \`updated_at\` always are. Names with an extension prefix are taken too.`,
  )
}

/** A filter of a category's list, by its name. */
export function filterOf(name: string): Parameter {
  if (name === 'characters') return { schema: uuid, description: 'Elements whose `characters` name this Character.' }
  if (name === 'name__icontains') return { schema: upTo(255), description: 'A part of the name, whatever its case.' }
  return { schema: upTo(255), description: `The whole ${name}.` }
}

function namesOf(names: readonly string[] | null, description: string): Parameter {
  const items = names === null ? { type: 'string', minLength: 1 } : { type: 'string', enum: names }
  return { schema: { type: 'array', items, minItems: 1 }, style: 'form', explode: false, description }
}
