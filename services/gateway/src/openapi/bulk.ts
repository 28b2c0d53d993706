import { categories } from '@worlds/domain/registry'
import { nameOf } from './category-schemas'
import type { Resource } from './description'
import { at, elementId, later } from './examples'
import { idempotencyKey } from './parameters'
import { described, fields, flag, integer, listOf, orNull, record, ref, timestamp, uuid } from './schema'

const slugs = [...categories.keys()]

export const bulkResource: Resource = {
  tag: { name: 'bulk', description: 'Many writes of mixed categories in one request.' },
  schemas: {
    BulkItem: {
      oneOf: slugs.map((slug) => bulkItem(slug)),
      description: 'With an `id` in the element it creates or replaces, without it creates.',
    },
    BulkRequest: fields(
      {
        items: { ...listOf(ref('BulkItem')), maxItems: 1000 },
        atomic: described(flag, 'Write all or nothing; false unless it is sent.'),
      },
      ['items'],
    ),
    BulkSuccess: record({ status: { enum: [200, 201] }, id: uuid, created_at: timestamp, updated_at: timestamp }),
    BulkFailure: record({
      status: described(integer, 'What the same write alone would be answered.'),
      id: orNull(uuid),
      error: ref('ErrorBody'),
    }),
    BulkReply: record({ errors: flag, items: listOf({ anyOf: [ref('BulkSuccess'), ref('BulkFailure')] }) }),
  },
  routes: {
    'POST /api/v2/bulk': {
      id: 'bulk',
      summary: 'Write many elements',
      description:
        'Items may link to each other in any order. What fails is told in its slot, and fails those that link to it. With `atomic`, nothing was written when `errors` is true.',
      headers: { 'Idempotency-Key': idempotencyKey },
      body: {
        schema: ref('BulkRequest'),
        example: {
          items: [
            { type: 'location', element: { id: elementId('location', 6), name: 'Mill' } },
            { type: 'character', element: { name: 'Miller', location: elementId('location', 6) } },
            { type: 'character', element: { name: 'Lost', location: elementId('location', 99) } },
          ],
        },
      },
      replies: {
        200: {
          description: 'A slot for each item, in the order sent.',
          schema: ref('BulkReply'),
          example: {
            errors: true,
            items: [
              { status: 201, id: elementId('location', 6), created_at: at, updated_at: at },
              { status: 201, id: elementId('character', 7), created_at: later, updated_at: later },
              {
                status: 400,
                id: null,
                error: {
                  type: 'invalid_request',
                  code: 'invalid_link',
                  message: 'location names an id that is no location of this world.',
                  param: 'location',
                  doc_url: 'https://worlds.example/api/v2/docs#invalid_link',
                },
              },
            ],
          },
          headers: ['Idempotent-Replay'],
        },
      },
      codes: ['idempotency_error'],
    },
  },
}

function bulkItem(slug: string) {
  const type = { const: slug }
  return fields({ type, element: ref(`${nameOf(slug)}Write`), op: { description: 'Ignored.' } }, ['type', 'element'])
}
