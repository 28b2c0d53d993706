import type { Resource } from './description'
import { elementId, ids } from './examples'
import { described, listOf, oneOf, orNull, record, ref, type Schema, text, uuid } from './schema'

export const roles = ['owner', 'co_builder', 'contributor', 'guest'] as const
/** What a member may be given. */
export const memberRole = oneOf('co_builder', 'contributor', 'guest')

/** Agents have one key more, their name. */
export function withAgentName(properties: Readonly<Record<string, Schema>>): Schema {
  const plain = record(properties)
  return { ...plain, properties: { ...properties, name: described(text, 'Of agents alone.') } }
}

export const rosterRow = {
  id: described(orNull(uuid), 'The membership; null for the owner.'),
  kind: oneOf('owner', 'person', 'agent'),
  role: oneOf(...roles),
  character: described(orNull(uuid), 'The Character that is this member.'),
  status: oneOf('active', 'removed'),
}

export const ownerRow = {
  id: null,
  kind: 'owner',
  role: 'owner',
  character: elementId('character', 2),
  status: 'active',
}

export const agentRow = {
  id: ids.seat,
  kind: 'agent',
  role: 'contributor',
  character: elementId('character', 4),
  status: 'active',
  name: 'Scribe',
}

export const rosterResource: Resource = {
  tag: { name: 'roster', description: 'Who a key is, and who shares the world. No PIN is asked for.' },
  schemas: {
    RosterRow: withAgentName(rosterRow),
    RosterList: record({ data: listOf(ref('RosterRow')) }),
    Me: withAgentName({
      world: record({ id: uuid, name: text }),
      scope: oneOf('read', 'write'),
      kind: rosterRow.kind,
      role: rosterRow.role,
      membership: described(orNull(uuid), 'What `created_by` is for what this key creates.'),
      character: rosterRow.character,
    }),
  },
  routes: {
    'GET /api/v2/me': {
      id: 'get-me',
      summary: 'Tell who the key is',
      replies: {
        200: {
          description: 'The world, and the holder of the key in it.',
          schema: ref('Me'),
          example: {
            world: { id: ids.world, name: 'Eldenmoor' },
            scope: 'write',
            kind: 'owner',
            role: 'owner',
            membership: null,
            character: elementId('character', 2),
          },
        },
      },
    },
    'GET /api/v2/members': {
      id: 'list-roster',
      summary: 'List the members of the world',
      description: 'The owner, then members in the order of joining, then those who were removed.',
      replies: {
        200: { description: 'The roster.', schema: ref('RosterList'), example: { data: [ownerRow, agentRow] } },
      },
    },
  },
}
