/** Components of one category, made from its fields: as it is read, as it is written, and lists of it. */
import { baseFields, type Category, categories, type Field } from '@worlds/domain/registry'
import {
  count,
  described,
  fields,
  flag,
  integer,
  listOf,
  orNull,
  record,
  ref,
  type Schema,
  text,
  timestamp,
  uuid,
  uuids,
} from './schema'

type Properties = Readonly<Record<string, Schema>>

/** `character` is the component `Character`. */
export const nameOf = (slug: string): string => slug.charAt(0).toUpperCase() + slug.slice(1)

export function categorySchemas(category: Category, extensionPrefixes: readonly string[]): Record<string, Schema> {
  const name = nameOf(category.slug)
  const open = { patternProperties: extensions(extensionPrefixes) }
  const read = readProperties(category)
  const part = { ...read, ...propertiesOf([...category.links.values()], stubbed) }
  const written = { id: described(orNull(uuid), 'Minted when it is left out.'), ...writtenProperties(category) }
  return {
    [name]: { ...record(read), ...open, description: `A ${category.slug} as it is read.` },
    [`${name}Write`]: {
      ...fields(written, ['name']),
      ...open,
      description: `A ${category.slug} to create or replace.`,
    },
    [`${name}Patch`]: {
      ...fields({ ...written, id: described(orNull(uuid), 'Ignored: the path names the element.') }),
      ...open,
      description: `What to change of a ${category.slug}.`,
    },
    [`${name}List`]: { ...pageOf(ref(name)), description: `A page of ${category.slug} elements.` },
    [`${name}Part`]: {
      ...fields(part, ['type', 'id', 'updated_at']),
      ...open,
      description: `A ${category.slug} as \`fields\` and \`expand\` show it: keys left out, linked ids as stubs.`,
    },
    [`${name}PartList`]: { ...pageOf(ref(`${name}Part`)), description: `A page as \`fields\` and \`expand\` show it.` },
  }
}

/** A page of a list, whose cursor is null exactly when nothing follows. */
export function pageOf(row: Schema): Schema {
  return record({ data: listOf(row), has_more: flag, next_cursor: described(orNull(text), 'Null on the last page.') })
}

/** Components that all categories share. */
export const sharedSchemas: Record<string, Schema> = {
  Stub: {
    ...record({ id: uuid, name: text, supertype: text, subtype: text, image_url: text }),
    description: 'What `expand` shows in place of a linked id.',
  },
  Element: {
    oneOf: [...categories.keys()].map((slug) => ref(nameOf(slug))),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries([...categories.keys()].map((slug) => [slug, ref(nameOf(slug)).$ref])),
    },
    description: 'An element of any category.',
  },
}

function readProperties(category: Category): Properties {
  return {
    type: { const: category.slug },
    id: uuid,
    ...propertiesOf([...baseFields, ...category.fields], readValue),
    created_at: timestamp,
    updated_at: timestamp,
    change_seq: described(count, 'Place of its last write in the change sequence of the world.'),
    created_by: described(orNull(uuid), 'The membership that created it; null for the owner.'),
  }
}

function writtenProperties(category: Category): Properties {
  return propertiesOf([...category.writable.values()], (field) =>
    field.kind === 'generic_type' ? readValue(field) : orNull(plainValue(field)),
  )
}

function propertiesOf(own: readonly Field[], schemaOf: (field: Field) => Schema): Properties {
  return Object.fromEntries(own.map((field) => [field.name, schemaOf(field)]))
}

/** Unset is empty text, null, or an empty list. */
function readValue(field: Field): Schema {
  return field.kind === 'text' || field.kind === 'multi_link' || field.kind === 'generic_type'
    ? plainValue(field)
    : orNull(plainValue(field))
}

function plainValue({ kind, maxLength, target, minimum, maximum }: Field): Schema {
  switch (kind) {
    case 'text':
      return maxLength === null ? text : { ...text, maxLength }
    case 'integer':
      return minimum === null && maximum === null ? integer : described(integer, suggested(minimum, maximum))
    case 'single_link':
      return described(uuid, `Id of a ${target}.`)
    case 'multi_link':
      return described(uuids, `Ids of ${target} elements.`)
    case 'generic_type':
      return { type: 'string', enum: [...categories.keys(), ''], description: 'Category of `element_id`.' }
    case 'generic_id':
      return described(uuid, 'Id of an element of the category that `element_type` names.')
  }
}

function stubbed(field: Field): Schema {
  const one = { anyOf: [uuid, ref('Stub')] }
  const description = `${plainValue(field).description} With \`expand\`: stubs.`
  if (field.kind === 'multi_link') return { anyOf: [uuids, listOf(ref('Stub'))], description }
  return { anyOf: [...one.anyOf, { type: 'null' }], description }
}

function suggested(minimum: number | null, maximum: number | null): string {
  if (minimum === null) return `Up to ${maximum} by suggestion; any number is stored.`
  return `${minimum} to ${maximum} by suggestion; any number is stored.`
}

/** What names with these prefixes hold is the clients' own. */
function extensions(prefixes: readonly string[]): Properties {
  const escaped = prefixes.map((prefix) => prefix.replace(/[^\w]/g, '\\$&'))
  return { [`^(${escaped.join('|')})`]: { description: 'An extension field: any JSON, given back as it was written.' } }
}
