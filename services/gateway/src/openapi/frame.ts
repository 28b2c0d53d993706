/** What stands around the routes: title, credentials, headers of replies. */
import type { Access } from './errors'
import { count, type Schema, text } from './schema'

export const info = {
  title: 'World Data Service',
  version: '2',
  description: [
    'Stores worlds: elements of 22 categories, linked to each other, owned by an account and shared with members. A key names one world, so no path does but those of accounts.',
    'A trailing slash changes nothing. Bodies are JSON in UTF-8, at most 2.5 MB, and may be sent as gzip. Unknown fields and unknown query parameters are refused, and so is `as` on a route that does not take it. Cross-origin requests are taken from the origins that the server allows; every reply says `Vary: Origin`.',
    'What a key does not see answers like what does not exist.',
  ].join('\n\n'),
} as const

export const securitySchemes: Readonly<Record<string, Schema>> = {
  Key: {
    type: 'apiKey',
    in: 'header',
    name: 'API-Key',
    description: 'A key to one world: `ow_w_…` reads and writes, `ow_r_…` reads; ten digits are an older key.',
  },
  Pin: {
    type: 'apiKey',
    in: 'header',
    name: 'API-Pin',
    description:
      'The PIN of the account, or the secret of a seat, with whatever writes; with ten-digit keys also to read a world that is not public. Not wanted while the owner has none.',
  },
  AccountToken: { type: 'http', scheme: 'bearer', description: 'A token of an account, `ow_a_…`.' },
}

/** Either of what is listed. */
export function securityOf(access: Access): readonly Readonly<Record<string, readonly string[]>>[] {
  if (access === 'roster') return [{ Key: [] }]
  if (access === 'read') return [{ Key: [] }, { Key: [], Pin: [] }]
  if (access === 'write') return [{ Key: [], Pin: [] }, { Key: [] }]
  return access === 'account' ? [{ AccountToken: [] }] : []
}

const header = (schema: Schema, description: string) => ({ schema, description })

/** Of replies. */
export const headers: Readonly<Record<string, Schema>> = {
  ETag: header(text, 'Send it back as `If-None-Match`.'),
  'Retry-After': header(count, 'Whole seconds to wait.'),
  'Idempotent-Replay': header(
    { const: 'true' },
    'The reply is that of an earlier request with the same `Idempotency-Key`.',
  ),
  'Cache-Control': header(text, '`no-store`: nobody may keep the reply.'),
  'RateLimit-Limit': header(count, 'Requests in one window.'),
  'RateLimit-Remaining': header(count, 'Requests that are left in this window.'),
  'RateLimit-Reset': header(count, 'Seconds until the next window.'),
}
