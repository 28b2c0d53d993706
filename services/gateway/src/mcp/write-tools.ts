/** Tools that write, by a write key and its PIN. None deletes, hides, shows again, or touches files. */
import { z } from 'zod'
import { elementRoutes } from '../routes/elements'
import { worldRoutes } from '../routes/world'
import { element, fields, id, type } from './shapes'
import { bodyOf, over, routeOf, type Tool } from './tool'

/** Its length is judged before its ids are. */
const ids = z.array(z.unknown()).max(10_000).pipe(z.array(z.string()).max(10_000)).optional()

export const writeTools: readonly Tool[] = [
  {
    name: 'create_element',
    title: 'Create an element',
    description: 'Makes an element; name is required. Give it an id of your own, a UUID, to be able to try again.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    needsKey: true,
    input: z.strictObject({ type, element: fields }),
    output: element,
    run: over(routeOf(elementRoutes, 'post', '/api/v2/:type'), (args, raw) => ({
      params: { type: String(args.type) },
      body: Buffer.from(raw('element')),
    })),
  },
  {
    name: 'update_element',
    title: 'Change an element',
    description: 'Writes the given fields of an element and leaves the others as they are.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    needsKey: true,
    input: z.strictObject({ type, id, element: fields }),
    output: element,
    run: over(routeOf(elementRoutes, 'patch', '/api/v2/:type/:id'), (args, raw) => ({
      params: { type: String(args.type), id: String(args.id) },
      body: Buffer.from(raw('element')),
    })),
  },
  {
    name: 'edit_links',
    title: 'Edit links',
    description: 'Adds ids to, and takes ids out of, a link field that holds several.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    needsKey: true,
    input: z.strictObject({
      type,
      id,
      field: z.string().describe('A field of kind multi_link of the category.'),
      add: ids.describe('Ids to add.'),
      remove: ids.describe('Ids to take out.'),
    }),
    output: element,
    run: over(routeOf(elementRoutes, 'post', '/api/v2/:type/:id/links/:field'), (args) => ({
      params: { type: String(args.type), id: String(args.id), field: String(args.field) },
      body: bodyOf({ add: args.add ?? [], remove: args.remove ?? [] }),
    })),
  },
  {
    name: 'bulk_apply',
    title: 'Write many elements',
    description:
      'Makes or replaces up to 1000 elements, which may link to each other. Look at errors: each item has its own outcome, unless atomic is true.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    needsKey: true,
    input: z.strictObject({
      items: z
        .array(z.unknown())
        .max(1000)
        .pipe(z.array(z.looseObject({ type, element: fields })).max(1000))
        .describe('In the order of their outcomes.'),
      atomic: z.boolean().optional().describe('All or none.'),
    }),
    output: z.looseObject({ errors: z.boolean(), items: z.array(z.looseObject({})) }),
    run: over(routeOf(worldRoutes, 'post', '/api/v2/bulk'), ({ atomic = false }, raw) => ({
      body: Buffer.from(`{"items":${raw('items')},"atomic":${atomic}}`),
    })),
  },
]
