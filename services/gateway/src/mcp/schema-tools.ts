/** Tools that tell what elements are made of. They belong to no world, and look at no key. */
import { baseFields, type Category, categories } from '@worlds/domain/registry'
import { typingOf } from '@worlds/domain/typing'
import { z } from 'zod'
import { json } from '../http/answer'
import { showField } from '../routes/metadata'
import { type } from './shapes'
import { reads, type Tool } from './tool'

const field = z.object({
  name: z.string(),
  kind: z.enum(['text', 'integer', 'single_link', 'multi_link']),
  target: z.string().nullable().describe('Category that a link names.'),
  section: z.string(),
  minimum: z.number().nullable().describe('Advice, not enforced.'),
  maximum: z.number().nullable(),
})

export const schemaTools: readonly Tool[] = [
  {
    name: 'list_element_types',
    title: 'List categories',
    description: 'Names the 22 categories of elements, with their sections and how many fields each has.',
    annotations: reads,
    needsKey: false,
    input: z.strictObject({}),
    output: z.object({
      types: z.array(z.object({ type: z.string(), sections: z.array(z.string()), fields: z.int() })),
    }),
    run: () =>
      json(200, {
        types: [...categories.values()].map(({ slug, fields }) => ({
          type: slug,
          sections: [...new Set(fields.map(({ section }) => section))],
          fields: fields.length,
        })),
      }),
  },
  {
    name: 'get_element_schema',
    title: 'Describe a category',
    description:
      'Lists the fields that an element of a category has, and the supertypes and subtypes that are suggested.',
    annotations: reads,
    needsKey: false,
    input: z.strictObject({ type }),
    output: z.object({
      type: z.string(),
      base_fields: z.array(field),
      fields: z.array(field),
      typing: z.record(z.string(), z.array(z.string())).describe('Suggested subtypes by supertype.'),
    }),
    run: ({ type }) => {
      const { slug, fields } = categoryOf(type)
      const typing = Object.fromEntries(typingOf(slug))
      return json(200, { type: slug, base_fields: baseFields.map(showField), fields: fields.map(showField), typing })
    },
  },
  {
    name: 'search_schema',
    title: 'Search fields',
    description: 'Finds fields and categories by a part of their name, over all categories.',
    annotations: reads,
    needsKey: false,
    input: z.strictObject({ q: z.string().describe('A part of a name, in any case.') }),
    output: z.object({
      types: z.array(z.string()).describe('Categories of this name.'),
      fields: z.array(field.extend({ type: z.string() })),
    }),
    run: ({ q }) => {
      const text = String(q).trim().toLowerCase()
      const all = [...categories.values()]
      return json(200, {
        types: all.map(({ slug }) => slug).filter((slug) => slug.includes(text)),
        fields: all.flatMap(({ slug, fields }) =>
          fields
            .filter(({ name }) => name.toLowerCase().includes(text))
            .map((one) => ({ ...showField(one), type: slug })),
        ),
      })
    },
  },
]

function categoryOf(type: unknown): Category {
  const category = categories.get(String(type))
  if (category === undefined) throw new Error(`no such category: ${type}`)
  return category
}
