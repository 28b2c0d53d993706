/** Shapes of arguments and answers that several tools share. */
import { categories } from '@worlds/domain/registry'
import { z } from 'zod'

const slugs = [...categories.keys()] as [string, ...string[]]

export const type = z.enum(slugs).describe('Category of the element; list_element_types names them all.')
export const id = z.string().describe('Id of the element, a UUID.')
export const cursor = z.string().optional().describe('next_cursor of the page before.')
export const limit = (fallback: number, most: number) =>
  z.int().optional().describe(`Rows at most: ${fallback} unless given, ${most} at most.`)

/** An element as it reads; its category's fields beside these, which get_element_schema lists. */
export const element = z
  .looseObject({
    type: z.string(),
    id: z.string(),
    name: z.string(),
    change_seq: z.int(),
    updated_at: z.string(),
  })
  .describe('The whole element. Links are ids.')

export const page = (row: z.ZodType) =>
  z.object({ data: z.array(row), has_more: z.boolean(), next_cursor: z.string().nullable() })

/** What every tool may answer instead. */
export const refused = z.object({
  error: z.looseObject({ type: z.string(), code: z.string(), message: z.string(), param: z.string().nullable() }),
})

/** Fields to write; their rules are the category's, so none is looked at here. */
export const fields = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .describe('Fields by name, as get_element_schema lists them; links are ids. Unknown fields are refused.')

/** A shape as JSON Schema. */
export function toSchema(shape: z.ZodType, io: 'input' | 'output' = 'output'): { type: 'object' } {
  return z.toJSONSchema(shape, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === fields) jsonSchema.type = 'object'
    },
  }) as { type: 'object' }
}
