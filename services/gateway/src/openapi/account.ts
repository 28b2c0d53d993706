import { done, type Resource } from './description'
import { at, ids, secrets } from './examples'
import {
  count,
  described,
  fields,
  flag,
  listOf,
  orNull,
  record,
  ref,
  rowsOf,
  secret,
  text,
  timestamp,
  upTo,
  uuid,
} from './schema'

const root = '/api/v2/account'

/** A PIN to be set, or one that is sent as proof. */
export const pinSchema = {
  anyOf: [
    { type: 'string', pattern: '^[1-9][0-9]{3}$' },
    { type: 'integer', minimum: 1000, maximum: 9999 },
  ],
}

export const email = { type: 'string', minLength: 3, maxLength: 254 }

const account = {
  id: ids.owner,
  name: 'Ann',
  emails: [{ email: 'ann@example.org', verified: true }],
  has_pin: true,
  image_bytes_used: 0,
  image_bytes_cap: 1_073_741_824,
  created_at: at,
}

const row = { id: uuid, name: text, last4: text, created_at: timestamp, last_used_at: orNull(timestamp) }
const token = { id: ids.token, name: 'Laptop', last4: '0000', created_at: at, last_used_at: null }

export const accountResource: Resource = {
  tag: { name: 'account', description: 'The account of a token, its emails and its tokens.' },
  schemas: {
    Account: record({
      id: uuid,
      name: text,
      emails: listOf(record({ email: text, verified: flag })),
      has_pin: flag,
      image_bytes_used: count,
      image_bytes_cap: count,
      created_at: timestamp,
    }),
    AccountPatch: fields({
      name: upTo(255),
      pin: pinSchema,
      current_pin: { type: ['string', 'integer', 'null'], description: 'Wanted when a PIN is set already.' },
    }),
    Token: record(row),
    TokenList: rowsOf('Token'),
    MintedToken: record({ ...row, token: described(secret('ow_a_'), 'Shown this once.') }),
  },
  routes: {
    [`GET ${root}`]: {
      id: 'get-account',
      summary: 'Read the account',
      replies: { 200: { description: 'The account.', schema: ref('Account'), example: account } },
      codes: ['not_found'],
    },
    [`PATCH ${root}`]: {
      id: 'patch-account',
      summary: 'Change the name or the PIN',
      description: 'The PIN guards writes to every world that the account owns, and its own in the worlds of others.',
      body: { schema: ref('AccountPatch'), example: { name: 'Ann', pin: '1234', current_pin: '1234' } },
      replies: { 200: { description: 'The account.', schema: ref('Account'), example: account } },
      codes: ['not_found', 'rate_limited'],
    },
    [`DELETE ${root}`]: {
      id: 'delete-account',
      summary: 'Delete the account',
      description: 'With its worlds; its memberships end, and what it made in the worlds of others names nobody.',
      replies: { 204: done('It is gone, and with it its tokens and keys.') },
      codes: ['not_found'],
    },
    [`POST ${root}/emails`]: {
      id: 'add-email',
      summary: 'Add an email',
      description: 'A mail with a token that works once, for an hour.',
      body: { schema: fields({ email }, ['email']), example: { email: 'ann.too@example.org' } },
      replies: { 202: { description: 'The mail is on its way.', schema: record({}), example: {} } },
      codes: ['not_found'],
    },
    [`POST ${root}/emails/verify`]: {
      id: 'verify-email',
      summary: 'Verify an email',
      body: { schema: fields({ token: upTo(255) }, ['token']), example: { token: secrets.emailToken } },
      replies: { 200: { description: 'The account.', schema: ref('Account'), example: account } },
      codes: ['not_found'],
    },
    [`GET ${root}/tokens`]: {
      id: 'list-tokens',
      summary: 'List the tokens of the account',
      replies: { 200: { description: 'The tokens.', schema: ref('TokenList'), example: { data: [token] } } },
    },
    [`POST ${root}/tokens`]: {
      id: 'create-token',
      summary: 'Mint a token',
      body: { schema: fields({ name: upTo(255) }), example: { name: 'Laptop' }, optional: true },
      replies: {
        201: {
          description: 'The token.',
          schema: ref('MintedToken'),
          example: { ...token, token: secrets.accountToken },
        },
      },
      codes: ['not_found'],
    },
    [`DELETE ${root}/tokens/:id`]: {
      id: 'revoke-token',
      summary: 'Revoke a token',
      replies: { 204: done('It does not work any longer.') },
      codes: ['not_found'],
    },
  },
}
