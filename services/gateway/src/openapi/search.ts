import type { searchParams } from '@worlds/domain/query'
import { categories } from '@worlds/domain/registry'
import { pageOf } from './category-schemas'
import type { Parameter, Resource } from './description'
import { elementId, later } from './examples'
import { as, cursor, limit } from './parameters'
import { oneOf, record, ref, text, timestamp, uuid } from './schema'

const query: Readonly<Record<(typeof searchParams)[number], Parameter>> = {
  q: {
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description: 'What to look for, 1 to 200 characters.',
    required: true,
    example: 'example trait',
  },
  type: {
    schema: { type: 'array', items: oneOf(...categories.keys()), minItems: 1 },
    style: 'form',
    explode: false,
    description: 'Categories to look in, by commas; all unless it is sent.',
    example: ['trait', 'character'],
  },
  limit: limit(20, 100, 20),
  cursor,
  as,
}

export const searchResource: Resource = {
  tag: { name: 'search', description: 'Looks for text in every category.' },
  schemas: {
    SearchHit: record({
      type: oneOf(...categories.keys()),
      id: uuid,
      name: text,
      supertype: text,
      subtype: text,
      image_url: text,
      updated_at: timestamp,
    }),
    SearchPage: pageOf(ref('SearchHit')),
  },
  routes: {
    'GET /api/v2/search': {
      id: 'search',
      summary: 'Search the world',
      description:
        'Best first: the whole name, its beginning, a part of it, whatever its case; then elements whose texts hold all the words.',
      query,
      replies: {
        200: {
          description: 'A page of hits.',
          schema: ref('SearchPage'),
          example: {
            data: [
              {
                type: 'trait',
                id: elementId('trait'),
                name: 'The example trait',
                supertype: 'Example',
                subtype: '',
                image_url: '',
                updated_at: later,
              },
            ],
            has_more: false,
            next_cursor: null,
          },
        },
      },
    },
  },
}
