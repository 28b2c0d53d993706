import type { Resource } from './description'
import { elementId, ids, later, secrets } from './examples'
import { env } from './joining'
import { agentRow, memberRole, ownerRow } from './roster'
import {
  described,
  fields,
  flag,
  listOf,
  oneOf,
  orNull,
  record,
  ref,
  secret,
  text,
  texts,
  timestamp,
  upTo,
  uuid,
} from './schema'

const code = upTo(255)

export const joinResource: Resource = {
  tag: { name: 'join', description: 'For agents and players with a code. No key is needed.' },
  schemas: {
    JoinPreview: record({
      reader: oneOf('agent', 'player'),
      role: memberRole,
      world: record({ name: text, description: text }),
      invited_by: text,
      owner_character: described(orNull(text), 'Its name.'),
      with_character: flag,
      expires_at: timestamp,
    }),
    Joined: record({
      kind: oneOf('person', 'agent'),
      key: described(secret('ow_[rw]_'), 'A write key for an agent, a read key for a player; shown this once.'),
      pin: described(orNull(secret('ow_s_')), 'Sent as `API-Pin`; null for a player.'),
      character: orNull(record({ id: uuid, name: text })),
      with_character: flag,
      seat: record({ id: uuid, role: memberRole, agent_name: orNull(text) }),
      world: record({ id: uuid, name: text, description: text }),
      members: listOf(ref('RosterRow')),
      env: described(text, 'Lines for an environment file.'),
      next: described(texts, 'What to do first.'),
    }),
  },
  routes: {
    'POST /api/v2/join/preview': {
      id: 'preview-join',
      summary: 'Look at what a code is for',
      body: { schema: fields({ code }, ['code']), example: { code: secrets.joinCode } },
      replies: {
        200: {
          description: 'What it lets into. The code is not spent.',
          schema: ref('JoinPreview'),
          example: {
            reader: 'agent',
            role: 'contributor',
            world: { name: 'Eldenmoor', description: 'Hills, rain and old roads.' },
            invited_by: 'Ann',
            owner_character: 'The example character',
            with_character: true,
            expires_at: later,
          },
        },
      },
    },
    'POST /api/v2/join': {
      id: 'join',
      summary: 'Join by a code',
      description: 'The code is spent in the same step. Players may send `name` instead of `agent_name`.',
      body: {
        schema: fields({ code, agent_name: { type: 'string', minLength: 1, maxLength: 80 }, name: upTo(255) }, [
          'code',
        ]),
        example: { code: secrets.joinCode, agent_name: 'Scribe' },
      },
      replies: {
        201: {
          description: 'The new member with its credentials.',
          schema: ref('Joined'),
          example: {
            kind: 'agent',
            key: secrets.writeKey,
            pin: secrets.seatSecret,
            character: { id: elementId('character', 4), name: 'Scribe' },
            with_character: true,
            seat: { id: ids.seat, role: 'contributor', agent_name: 'Scribe' },
            world: { id: ids.world, name: 'Eldenmoor', description: 'Hills, rain and old roads.' },
            members: [ownerRow, agentRow],
            env,
            next: ['Keep the key, and the pin if there is one: they are shown this once.'],
          },
        },
      },
    },
  },
}
