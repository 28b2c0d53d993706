import type { Resource } from './description'
import type { DescribedRoute } from './document'
import { ifNoneMatch } from './parameters'
import { record } from './schema'

/** What anybody is served, without a key and outside the request slots. */
export const openPaths = {
  health: '/api/v2/health',
  document: '/api/v2/openapi.json',
  docs: '/api/v2/docs',
} as const

/** As they would stand in the route table, which holds what takes a request slot. */
export const openRoutes: readonly DescribedRoute[] = Object.values(openPaths).map((path) => ({
  method: 'get',
  path,
  access: 'open',
}))

export const openResource: Resource = {
  tag: { name: 'service', description: 'What the service tells of itself. No key is needed.' },
  schemas: {},
  routes: {
    [`GET ${openPaths.health}`]: {
      id: 'get-health',
      summary: 'Tell whether the service is well',
      replies: {
        200: {
          description: 'It is.',
          schema: record({ status: { const: 'ok' }, service: { const: 'world-data-service' } }),
          example: { status: 'ok', service: 'world-data-service' },
        },
      },
      codes: ['server_busy'],
    },
    [`GET ${openPaths.document}`]: {
      id: 'get-openapi',
      summary: 'Describe every route',
      headers: { 'If-None-Match': ifNoneMatch },
      replies: {
        200: {
          description: 'This document.',
          schema: { type: 'object', required: ['openapi', 'paths'] },
          headers: ['ETag'],
        },
        304: { description: 'Nothing has changed since the `ETag` sent.', headers: ['ETag'] },
      },
    },
    [`GET ${openPaths.docs}`]: {
      id: 'get-docs',
      summary: 'Show this document as a page',
      headers: { 'If-None-Match': ifNoneMatch },
      replies: {
        200: { description: 'The page.', type: 'text/html', schema: { type: 'string' }, headers: ['ETag'] },
        304: { description: 'Nothing has changed since the `ETag` sent.', headers: ['ETag'] },
      },
    },
  },
}
