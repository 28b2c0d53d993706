/** One worked example of each category: its first text, its first numbers, and links to the other examples. */
import { baseFields, type Category, categories, type Field } from '@worlds/domain/registry'
import { at, elementId, later } from './examples'

type Body = Record<string, unknown>

const empty = {
  text: '',
  integer: null,
  single_link: null,
  multi_link: [],
  generic_type: '',
  generic_id: null,
} as const

/** What is sent to make it. */
export function writtenExample(category: Category, extensionPrefixes: readonly string[]): Body {
  const { slug, fields } = category
  const first = (kind: Field['kind']) => fields.find((field) => field.kind === kind)
  const [prose, number, one, many] = [first('text'), first('integer'), first('single_link'), first('multi_link')]
  return {
    name: `The example ${slug}`,
    description: `Shows what a ${slug} looks like.`,
    supertype: 'Example',
    ...(prose && { [prose.name]: `Something about its ${prose.name.replaceAll('_', ' ')}.` }),
    ...(number && { [number.name]: 7 }),
    ...(one?.target && { [one.name]: elementId(one.target, 2) }),
    ...(many?.target && { [many.name]: [elementId(many.target, 2)] }),
    ...(first('generic_id') && { element_type: 'location', element_id: elementId('location', 2) }),
    ...extensionExample(extensionPrefixes),
  }
}

/** What is read of it: every field, in the order of a body. */
export function readExample(category: Category, extensionPrefixes: readonly string[], written?: Body): Body {
  const sent = written ?? writtenExample(category, extensionPrefixes)
  const names = new Set([...baseFields, ...category.fields].map(({ name }) => name))
  return {
    type: category.slug,
    id: elementId(category.slug),
    ...Object.fromEntries(
      [...baseFields, ...category.fields].map(({ name, kind }) => [name, sent[name] ?? empty[kind]]),
    ),
    ...Object.fromEntries(Object.entries(sent).filter(([name]) => !names.has(name))),
    created_at: at,
    updated_at: later,
    change_seq: 42,
    created_by: null,
  }
}

/** A category by its slug, which is one of the 22. */
export function categoryOf(slug: string): Category {
  const category = categories.get(slug)
  if (category === undefined) throw new Error(`there is no category ${slug}`)
  return category
}

function extensionExample([prefix]: readonly string[]): Body {
  return prefix === undefined ? {} : { [`${prefix}source`]: 'Notebook 3' }
}
