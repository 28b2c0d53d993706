import type { Resource } from './description'
import { expiry, ids, ticket, uploadUrl } from './examples'
import { issuedTo } from './files'
import { count, described, fields, flag, record, ref, text, unixSeconds, uri } from './schema'

const prefix = `u/${ids.world}/`
const key = `${prefix}${ids.image}.png`

export const mediaResource: Resource = {
  tag: {
    name: 'media',
    description:
      'Images: a ticket for one upload, and the raw bytes (webp, png, jpeg or avif) to the upload host, which answers with the `url` that goes into `image_url`.',
  },
  schemas: {
    ImageTicket: record({
      ticket: text,
      upload_url: described(uri, 'Where to POST the bytes; `X-Key` may name a key below `prefix`.'),
      prefix: text,
      max_bytes: count,
      exp: unixSeconds,
      uses: { const: 1 },
      issued_to: issuedTo,
      kind: { const: 'image' },
    }),
    RemovalTicket: record({
      ticket: text,
      remove_url: described(uri, 'Where to POST with the ticket.'),
      exp: unixSeconds,
      key: text,
      referenced: described(flag, 'An `image_url` of the world names it.'),
    }),
  },
  routes: {
    'POST /api/v2/media/ticket': {
      id: 'create-image-ticket',
      summary: 'Ask for a ticket to upload an image',
      body: { schema: fields({}), example: {}, optional: true },
      replies: {
        201: {
          description: 'The ticket.',
          schema: ref('ImageTicket'),
          example: {
            ticket,
            upload_url: uploadUrl,
            prefix,
            max_bytes: 10_485_760,
            exp: expiry,
            uses: 1,
            issued_to: { account: ids.owner, membership: null },
            kind: 'image',
          },
        },
      },
      codes: ['storage_full', 'not_found', 'quota_exceeded', 'media_unavailable'],
    },
    'POST /api/v2/media/remove-ticket': {
      id: 'create-removal-ticket',
      summary: 'Ask for a ticket to remove an image',
      description: 'For the owner’s keys and the account that uploaded it.',
      body: { schema: fields({ key: text }, ['key']), example: { key } },
      replies: {
        200: {
          description: 'The ticket.',
          schema: ref('RemovalTicket'),
          example: {
            ticket,
            remove_url: uploadUrl.replace(/upload$/, 'remove'),
            exp: expiry,
            key,
            referenced: false,
          },
        },
      },
      codes: ['not_found', 'removal_in_flight', 'upload_pending', 'media_unavailable'],
    },
  },
}
