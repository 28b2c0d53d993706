import { email } from './account'
import { done, type Resource } from './description'
import { at, base, elementId, ids, later, secrets } from './examples'
import { memberRole, rosterRow } from './roster'
import {
  described,
  fields,
  flag,
  oneOf,
  orNull,
  record,
  ref,
  rowsOf,
  secret,
  text,
  timestamp,
  upTo,
  uri,
  uuid,
} from './schema'

const world = '/api/v2/account/worlds/:world'
const agentName = { type: 'string', minLength: 1, maxLength: 80 }

const linkRow = {
  id: uuid,
  reader: oneOf('agent', 'player'),
  role: memberRole,
  name: text,
  expires_at: timestamp,
  status: oneOf('open', 'used', 'revoked', 'expired'),
  created_at: timestamp,
}
const link = { id: ids.link, reader: 'agent', role: 'contributor' }

const seatRow = {
  id: uuid,
  role: memberRole,
  agent_name: text,
  character: orNull(uuid),
  status: rosterRow.status,
  sponsor: described(flag, 'The caller is its sponsor.'),
  created_at: timestamp,
}
const seat = {
  id: ids.seat,
  role: 'contributor',
  agent_name: 'Scribe',
  character: elementId('character', 4),
  status: 'active',
  sponsor: true,
  created_at: at,
}

export const env = [
  `OW_API_KEY=${secrets.writeKey}`,
  `OW_API_PIN=${secrets.seatSecret}`,
  `OW_WORLD=${ids.world}`,
  `OW_CHARACTER=${elementId('character', 4)}`,
  `OW_API_BASE=${base}/api/v2`,
].join('\n')

export const joiningResource: Resource = {
  tag: { name: 'account links and seats', description: 'Agents and players: links to join by, and agents’ seats.' },
  schemas: {
    JoinLink: record(linkRow),
    JoinLinkList: rowsOf('JoinLink'),
    NewJoinLink: fields(
      {
        reader: linkRow.reader,
        role: { ...memberRole, description: 'Agents: contributor unless it is sent. Players are guests.' },
        days: { enum: [1, 7, 30], default: 7 },
        sponsor_email: orNull({
          ...email,
          description:
            'Who sponsors the agent: at once if a member of the world has verified it, else once its account accepts the offer. The owner until then.',
        }),
        character: described(orNull(uuid), 'A Character to play.'),
        with_character: { ...flag, default: true },
        name: upTo(255),
      },
      ['reader'],
    ),
    MintedJoinLink: record({
      id: uuid,
      reader: linkRow.reader,
      role: memberRole,
      code: described(secret('ow_j_'), 'Shown this once.'),
      link: described(uri, 'The same code as an address of the portal.'),
      expires_at: timestamp,
      status: linkRow.status,
    }),
    Seat: record(seatRow),
    SeatList: rowsOf('Seat'),
    NewSeat: fields(
      {
        name: agentName,
        role: { ...memberRole, description: 'Not above one’s own; contributor unless it is sent.' },
        character: { ...oneOf('new', 'none', 'mine'), default: 'new' },
      },
      ['name'],
    ),
    MintedSeat: record({
      key: described(secret('ow_w_'), 'Shown this once.'),
      pin: described(secret('ow_s_'), 'Sent as `API-Pin`; shown this once.'),
      env: described(text, 'Lines for an environment file.'),
      seat: ref('Seat'),
    }),
  },
  routes: {
    [`GET ${world}/links`]: {
      id: 'list-links',
      summary: 'List the links to join by',
      description: 'For the owner. Codes are not shown.',
      replies: {
        200: {
          description: 'The links.',
          schema: ref('JoinLinkList'),
          example: { data: [{ ...link, name: 'For Scribe', expires_at: later, status: 'open', created_at: at }] },
        },
      },
      codes: ['permission_error'],
    },
    [`POST ${world}/links`]: {
      id: 'create-link',
      summary: 'Make a link to join by',
      description: 'For the owner. Its code works once.',
      body: {
        schema: ref('NewJoinLink'),
        example: { reader: 'agent', role: 'contributor', days: 7, name: 'For Scribe' },
      },
      replies: {
        201: {
          description: 'The link with its code.',
          schema: ref('MintedJoinLink'),
          example: {
            ...link,
            code: secrets.joinCode,
            link: `${base}/account/join#${secrets.joinCode}`,
            expires_at: later,
            status: 'open',
          },
        },
      },
      codes: ['permission_error', 'invalid_link'],
    },
    [`DELETE ${world}/links/:id`]: {
      id: 'revoke-link',
      summary: 'Revoke a link',
      description: 'For the owner.',
      replies: { 204: done('Its code does not work any longer.') },
      codes: ['permission_error'],
    },
    [`GET ${world}/seats`]: {
      id: 'list-seats',
      summary: 'List the seats of agents',
      replies: { 200: { description: 'The seats.', schema: ref('SeatList'), example: { data: [seat] } } },
      codes: ['permission_error'],
    },
    [`POST ${world}/seats`]: {
      id: 'create-seat',
      summary: 'Make a seat for an agent',
      description:
        'For every member but guests; the caller is the sponsor. The seat’s role never stands above the caller’s, and the seat goes when the caller goes.',
      body: { schema: ref('NewSeat'), example: { name: 'Scribe', role: 'contributor', character: 'new' } },
      replies: {
        201: {
          description: 'The seat with its credentials.',
          schema: ref('MintedSeat'),
          example: { key: secrets.writeKey, pin: secrets.seatSecret, env, seat },
        },
      },
      codes: ['permission_error', 'invalid_link'],
    },
    [`DELETE ${world}/seats/:id`]: {
      id: 'remove-seat',
      summary: 'Remove a seat',
      description: 'For the owner and the sponsor.',
      replies: { 204: done('It is removed.') },
      codes: ['permission_error'],
    },
  },
}
