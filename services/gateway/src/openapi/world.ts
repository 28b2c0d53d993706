import { categories } from '@worlds/domain/registry'
import type { Resource } from './description'
import { at, elementId, ids, later } from './examples'
import { ifNoneMatch } from './parameters'
import {
  count,
  described,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  record,
  ref,
  rowsOf,
  text,
  texts,
  timestamp,
  upTo,
  uuid,
} from './schema'

const writable = {
  name: { type: 'string', minLength: 1, maxLength: 255 },
  description: text,
  image_url: upTo(1024),
  time_format_names: texts,
  time_format_equivalents: texts,
  time_basic_unit: text,
  time_range_min: orNull(integer),
  time_range_max: orNull(integer),
  time_range_current: orNull(integer),
}
const ownerCharacter = described(orNull(uuid), 'The Character that is the owner.')

const world = {
  id: ids.world,
  name: 'Eldenmoor',
  description: 'Hills, rain and old roads.',
  image_url: '',
  time_format_names: ['Year', 'Day'],
  time_format_equivalents: ['360 days', '20 hours'],
  time_basic_unit: 'day',
  time_range_min: 0,
  time_range_max: 5000,
  time_range_current: 1200,
  public_read: false,
  owner_character: elementId('character', 2),
  created_at: at,
  updated_at: later,
}

export const worldResource: Resource = {
  tag: { name: 'world', description: 'The world that a key names, and what is hidden in it.' },
  schemas: {
    World: record({
      id: uuid,
      ...writable,
      public_read: described(flag, 'Set by the account routes alone.'),
      owner_character: ownerCharacter,
      created_at: timestamp,
      updated_at: timestamp,
    }),
    WorldPatch: fields({ ...writable, owner_character: ownerCharacter }),
    HiddenMark: record({
      type: oneOf(...categories.keys()),
      id: uuid,
      set_at: timestamp,
      set_by: described(orNull(uuid), 'The membership that hid it; null for the owner.'),
    }),
    HiddenMarkList: rowsOf('HiddenMark'),
    Sharing: {
      ...record({
        public_read: flag,
        members: record({ active: count, pending_invites: orNull(count) }),
        read_keys: orNull(count),
        open_links: orNull(count),
      }),
      description: 'Counts that are the owner’s to know are null for all others.',
    },
  },
  routes: {
    'GET /api/v2/world': {
      id: 'get-world',
      summary: 'Read the world',
      headers: { 'If-None-Match': ifNoneMatch },
      replies: {
        200: { description: 'The world.', schema: ref('World'), example: world, headers: ['ETag'] },
        304: { description: 'Nothing has changed since the `ETag` sent.', headers: ['ETag'] },
      },
    },
    'PATCH /api/v2/world': {
      id: 'patch-world',
      summary: 'Change the world',
      description: 'For the owner. Every field sent is applied; one with the value it had moves `updated_at` too.',
      body: { schema: ref('WorldPatch'), example: { description: world.description, time_range_current: 1200 } },
      replies: { 200: { description: 'The world as it is now.', schema: ref('World'), example: world } },
      codes: ['owner_only', 'invalid_link'],
    },
    'GET /api/v2/world/hidden': {
      id: 'list-hidden',
      summary: 'List what is hidden',
      description: 'For the owner and co-builders; newest first.',
      replies: {
        200: {
          description: 'Every mark.',
          schema: ref('HiddenMarkList'),
          example: { data: [{ type: 'character', id: elementId('character', 3), set_at: at, set_by: null }] },
          headers: ['Cache-Control'],
        },
      },
      codes: ['permission_error'],
    },
    'GET /api/v2/world/sharing': {
      id: 'get-sharing',
      summary: 'Count who shares the world',
      replies: {
        200: {
          description: 'The counts.',
          schema: ref('Sharing'),
          example: { public_read: false, members: { active: 2, pending_invites: 1 }, read_keys: 1, open_links: 0 },
        },
      },
      codes: ['guest_not_supported'],
    },
  },
}
