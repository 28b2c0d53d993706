/**
 * The 22 categories and their fields. Each category is written as sections of fields: a bare name
 * is text, `name#` an integer (`name#1..20` with advisory bounds, never enforced), `name>target` a
 * single link, `name>target*` a multi link, `name~` one half of pin's link to any category.
 */
import { concepts } from './categories/concepts'
import { content } from './categories/content'
import { entities } from './categories/entities'
import { places } from './categories/places'

export type FieldKind = 'text' | 'integer' | 'single_link' | 'multi_link' | 'generic_type' | 'generic_id'

export interface Field {
  readonly name: string
  readonly kind: FieldKind
  readonly section: string
  /** Category that a link points to. */
  readonly target: string | null
  readonly minimum: number | null
  readonly maximum: number | null
  /** Code points; null without a limit of its own. */
  readonly maxLength: number | null
}

export interface Category {
  readonly slug: string
  /** The category's own fields, in the order of a body. */
  readonly fields: readonly Field[]
  /** Base and own fields that a client may write, by name. */
  readonly writable: ReadonlyMap<string, Field>
  /** Single and multi links, which `expand` takes. */
  readonly links: ReadonlyMap<string, Field>
  /** Names of the query filters of its list. */
  readonly filters: readonly string[]
}

const base = (name: string, maxLength: number | null): Field => ({
  name,
  kind: 'text',
  section: 'Base',
  target: null,
  minimum: null,
  maximum: null,
  maxLength,
})

/** Text fields that every category has, in the order of a body after `type` and `id`. */
export const baseFields: readonly Field[] = [
  base('name', 255),
  base('description', null),
  base('supertype', 128),
  base('subtype', 128),
  base('image_url', 1024),
]

/** What the server appends to a body on the way out, in order. */
export const serverFields = ['created_at', 'updated_at', 'change_seq', 'created_by'] as const

export const categories: ReadonlyMap<string, Category> = new Map(
  Object.entries({ ...entities, ...places, ...concepts, ...content }).map(([slug, text]) => [
    slug,
    toCategory(slug, readSections(text)),
  ]),
)

function toCategory(slug: string, fields: Field[]): Category {
  const isLink = ({ kind }: Field) => kind === 'single_link' || kind === 'multi_link'
  const addressed = fields.some(({ name, kind }) => name === 'characters' && kind === 'multi_link')
  return {
    slug,
    fields,
    writable: new Map([...baseFields, ...fields].map((field) => [field.name, field])),
    links: new Map(fields.filter(isLink).map((field) => [field.name, field])),
    filters: ['name', 'name__icontains', 'supertype', 'subtype', ...(addressed ? ['characters'] : [])],
  }
}

function readSections(text: string): Field[] {
  const fields: Field[] = []
  let section = ''
  for (const token of text.trim().split(/\s+/)) {
    if (token.endsWith(':')) section = token.slice(0, -1)
    else fields.push(readField(token, section))
  }
  return fields
}

function readField(token: string, section: string): Field {
  const [, name = '', mark = '', rest = ''] = /^(\w+)([#>~]?)(.*)$/.exec(token) ?? []
  const field = { ...base(name, null), section }
  if (mark === '#') {
    const [minimum = '', maximum = ''] = rest.split('..')
    return { ...field, kind: 'integer', minimum: toBound(minimum), maximum: toBound(maximum) }
  }
  if (mark === '~') return { ...field, kind: name.endsWith('_id') ? 'generic_id' : 'generic_type' }
  if (mark !== '>') return field
  return rest.endsWith('*')
    ? { ...field, kind: 'multi_link', target: rest.slice(0, -1) }
    : { ...field, kind: 'single_link', target: rest }
}

function toBound(text: string): number | null {
  return text === '' ? null : Number(text)
}
