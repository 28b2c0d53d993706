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

/** Fields to write; their rules are the category's. */
export const fields = z
  .record(z.string(), z.unknown())
  .describe('Fields by name, as get_element_schema lists them; links are ids. Unknown fields are refused.')
