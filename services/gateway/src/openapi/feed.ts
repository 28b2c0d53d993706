import { categories } from '@worlds/domain/registry'
import type { changesParams } from '../routes/world'
import { categoryOf, readExample } from './category-examples'
import type { Parameter, Resource } from './description'
import { at, elementId, later } from './examples'
import { limit } from './parameters'
import { count, described, flag, integer, listOf, oneOf, orNull, record, ref, text, timestamp, uuid } from './schema'

const query: Readonly<Record<(typeof changesParams)[number], Parameter>> = {
  since: {
    schema: text,
    description: '`cursor` of the page before; without it, or with `0`, the walk begins anew.',
    example: '0',
  },
  limit: limit(500, 1000, 500),
  head: { schema: flag, description: 'With `true` no changes, but a cursor to follow from now on.' },
}

const type = oneOf(...categories.keys())

export function feedOf(extensionPrefixes: readonly string[]): Resource {
  return {
    tag: { name: 'changes', description: 'The change feed: a full export, and then what has changed since.' },
    schemas: {
      Upsert: record({
        op: { const: 'upsert' },
        type,
        id: uuid,
        updated_at: timestamp,
        change_seq: count,
        element: ref('Element'),
      }),
      Deletion: record({
        op: { const: 'delete' },
        type,
        id: uuid,
        change_seq: count,
        deleted_at: timestamp,
        deleted_by: described(orNull(uuid), 'The membership that deleted it; null for the owner.'),
        deleted_via: described(text, 'As `api` or `server`.'),
        reason: described(oneOf('deleted', 'hidden', 'out_of_view'), '`out_of_view` is never sent.'),
      }),
      Changes: record({
        cursor: described(text, 'Pass it back as `since`.'),
        has_more: flag,
        head: described(count, 'Change sequence of the world. When it falls the world was restored: begin anew.'),
        epoch: described(orNull(integer), 'Moves with the view of contributors and guests; null for all others.'),
        epoch_reason: orNull(oneOf('role', 'view')),
        changes: listOf({ oneOf: [ref('Upsert'), ref('Deletion')] }),
      }),
    },
    routes: {
      'GET /api/v2/changes': {
        id: 'list-changes',
        summary: 'Follow what changes',
        description:
          'Ask again with `since` until `has_more` is false. On 409 begin anew from `since=0`: for the reason `role` keep what the new walk does not name, for `view` drop it.',
        query,
        replies: {
          200: {
            description: 'A page in the order of changes.',
            schema: ref('Changes'),
            example: {
              cursor: 'MDE5OGYwYzQ6NDI',
              has_more: false,
              head: 43,
              epoch: null,
              epoch_reason: null,
              changes: [
                {
                  op: 'upsert',
                  type: 'trait',
                  id: elementId('trait'),
                  updated_at: later,
                  change_seq: 42,
                  element: readExample(categoryOf('trait'), extensionPrefixes),
                },
                {
                  op: 'delete',
                  type: 'pin',
                  id: elementId('pin', 5),
                  change_seq: 43,
                  deleted_at: at,
                  deleted_by: null,
                  deleted_via: 'api',
                  reason: 'deleted',
                },
              ],
            },
          },
        },
        codes: ['resync_required'],
      },
    },
  }
}
