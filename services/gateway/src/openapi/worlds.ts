import { pinSchema } from './account'
import { done, type Resource } from './description'
import { at, ids, later, secrets } from './examples'
import { roles } from './roster'
import {
  described,
  fields,
  flag,
  listOf,
  oneOf,
  orNull,
  record,
  ref,
  rowsOf,
  secret,
  text,
  timestamp,
  uuid,
} from './schema'

const root = '/api/v2/account/worlds'
const worldName = { type: 'string', minLength: 1, maxLength: 255 }

const world = {
  id: ids.world,
  name: 'Eldenmoor',
  role: 'owner',
  kind: 'owner',
  membership: null,
  public_read: false,
  created_at: at,
  updated_at: later,
}

const key = {
  id: ids.key,
  name: 'Notebook',
  last4: '0000',
  scope: 'WRITE',
  membership: null,
  created_at: at,
  last_used_at: null,
  revoked: false,
}

const keyRow = {
  id: uuid,
  name: text,
  last4: text,
  scope: oneOf('READ', 'WRITE'),
  membership: described(orNull(uuid), 'Null for the owner’s keys.'),
  created_at: timestamp,
  last_used_at: orNull(timestamp),
  revoked: flag,
}

export const worldsResource: Resource = {
  tag: { name: 'account worlds', description: 'Worlds of the account, and the keys to them.' },
  schemas: {
    AccountWorld: record({
      id: uuid,
      name: text,
      role: oneOf(...roles),
      kind: oneOf('owner', 'person'),
      membership: orNull(uuid),
      public_read: flag,
      created_at: timestamp,
      updated_at: timestamp,
    }),
    AccountWorldList: rowsOf('AccountWorld'),
    NewWorld: fields({ name: worldName, pin: { ...pinSchema, description: 'Only while the account has none.' } }, [
      'name',
    ]),
    CreatedWorld: record({
      id: uuid,
      name: text,
      role: { const: 'owner' },
      public_read: flag,
      keys: listOf(record({ id: uuid, name: text, last4: text, scope: oneOf('READ', 'WRITE'), revoked: flag })),
      key: described(secret('ow_w_'), 'Shown this once.'),
    }),
    Key: record(keyRow),
    KeyList: rowsOf('Key'),
    MintedKey: record({ ...keyRow, key: described(secret('ow_[rw]_'), 'Shown this once.') }),
  },
  routes: {
    [`GET ${root}`]: {
      id: 'list-worlds',
      summary: 'List the worlds of the account',
      description: 'Its own, then those that others share with it.',
      replies: { 200: { description: 'The worlds.', schema: ref('AccountWorldList'), example: { data: [world] } } },
    },
    [`POST ${root}`]: {
      id: 'create-world',
      summary: 'Create a world',
      body: { schema: ref('NewWorld'), example: { name: 'Eldenmoor' } },
      replies: {
        201: {
          description: 'The world with its first key.',
          schema: ref('CreatedWorld'),
          example: {
            id: ids.world,
            name: 'Eldenmoor',
            role: 'owner',
            public_read: false,
            keys: [{ id: ids.key, name: '', last4: '0000', scope: 'WRITE', revoked: false }],
            key: secrets.writeKey,
          },
        },
      },
      codes: ['not_found'],
    },
    [`GET ${root}/:world`]: {
      id: 'get-account-world',
      summary: 'Read a world of the account',
      replies: { 200: { description: 'The world.', schema: ref('AccountWorld'), example: world } },
      codes: ['permission_error'],
    },
    [`PATCH ${root}/:world`]: {
      id: 'patch-account-world',
      summary: 'Rename a world, or let everybody read it',
      description: 'For the owner.',
      body: {
        schema: fields({
          name: worldName,
          public_read: described(flag, 'Ten-digit keys read without the PIN.'),
        }),
        example: { name: 'Eldenmoor', public_read: false },
      },
      replies: { 200: { description: 'The world.', schema: ref('AccountWorld'), example: world } },
      codes: ['permission_error'],
    },
    [`DELETE ${root}/:world`]: {
      id: 'delete-world',
      summary: 'Delete a world',
      description: 'For the owner. Its keys stop working at once; elements, files and images go in the background.',
      replies: { 204: done('It is gone.') },
      codes: ['permission_error'],
    },
    [`GET ${root}/:world/keys`]: {
      id: 'list-keys',
      summary: 'List the keys to a world',
      description: 'A member sees its own, the owner all.',
      replies: { 200: { description: 'The keys.', schema: ref('KeyList'), example: { data: [key] } } },
      codes: ['permission_error'],
    },
    [`POST ${root}/:world/keys`]: {
      id: 'create-key',
      summary: 'Mint a key to a world',
      body: {
        schema: fields({
          scope: { ...oneOf('read', 'write'), default: 'write' },
          name: { type: 'string', maxLength: 255 },
        }),
        example: { scope: 'write', name: 'Notebook' },
        optional: true,
      },
      replies: {
        201: { description: 'The key.', schema: ref('MintedKey'), example: { ...key, key: secrets.writeKey } },
      },
      codes: ['permission_error', 'pin_required'],
    },
    [`DELETE ${root}/:world/keys/:id`]: {
      id: 'revoke-key',
      summary: 'Revoke a key',
      description: 'For its holder and the owner. From then on it is answered `key_revoked`.',
      replies: { 204: done('It does not work any longer.') },
      codes: ['permission_error'],
    },
  },
}
