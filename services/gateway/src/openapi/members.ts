import { email } from './account'
import { done, type Resource } from './description'
import { at, elementId, ids } from './examples'
import { agentRow, memberRole, ownerRow, rosterRow, withAgentName } from './roster'
import { described, fields, flag, listOf, orNull, record, ref, text, timestamp, uuid } from './schema'

const root = '/api/v2/account'
const world = `${root}/worlds/:world`

const sentRow = { email: text, role: memberRole, created_at: timestamp }
const sent = { email: 'bea@example.org', role: 'contributor', created_at: at }
const invite = { id: ids.invite, ...sent }

export const membersResource: Resource = {
  tag: { name: 'account members', description: 'Who shares a world, and invites to it.' },
  schemas: {
    Member: withAgentName({
      ...rosterRow,
      joined_at: timestamp,
      sponsored: described(flag, 'The caller sponsors this agent.'),
    }),
    Invite: record({ id: uuid, ...sentRow }),
    MemberList: record({
      data: listOf(ref('Member')),
      invites: described(listOf(ref('Invite')), 'The owner’s to see; empty for all others.'),
    }),
    MemberPatch: fields({
      role: memberRole,
      character: described(orNull(uuid), 'Of agents and players alone; null for none.'),
    }),
    ReceivedInvite: record({ id: uuid, world: record({ id: uuid, name: text }), ...sentRow }),
    SponsorOffer: record({
      id: uuid,
      kind: described({ const: 'sponsor' }, 'An invite as a member has no `kind`.'),
      world: record({ id: uuid, name: text }),
      created_at: timestamp,
    }),
    ReceivedInviteList: record({ data: listOf({ anyOf: [ref('ReceivedInvite'), ref('SponsorOffer')] }) }),
    Membership: record({
      id: uuid,
      world: record({ id: uuid, name: text }),
      kind: { const: 'person' },
      role: memberRole,
      status: rosterRow.status,
      character: orNull(uuid),
      roster_character: described(orNull(uuid), 'As `character`.'),
      joined_at: timestamp,
    }),
  },
  routes: {
    [`GET ${world}/members`]: {
      id: 'list-members',
      summary: 'List members and pending invites',
      replies: {
        200: {
          description: 'The roster, and for the owner the invites.',
          schema: ref('MemberList'),
          example: {
            data: [
              { ...ownerRow, joined_at: at, sponsored: false },
              { ...agentRow, joined_at: at, sponsored: true },
            ],
            invites: [invite],
          },
        },
      },
      codes: ['permission_error'],
    },
    [`PATCH ${world}/members/:id`]: {
      id: 'patch-member',
      summary: 'Change the role of a member, or its Character',
      description:
        'For the owner. Counts from the next request of the member. Seats that the member made for itself are lowered with it; one of them cannot be raised above it (422 `role`).',
      body: { schema: ref('MemberPatch'), example: { role: 'contributor', character: elementId('character', 4) } },
      replies: { 200: { description: 'The roster row.', schema: ref('RosterRow'), example: agentRow } },
      codes: ['permission_error', 'invalid_link', 'character_hidden'],
    },
    [`DELETE ${world}/members/:id`]: {
      id: 'remove-member',
      summary: 'Remove a member',
      description:
        'For the owner, and the sponsor of an agent. Its keys are deleted, its row stays. Seats that it made for itself go with it.',
      replies: { 204: done('It is no member any longer.') },
      codes: ['permission_error'],
    },
    [`POST ${world}/leave`]: {
      id: 'leave-world',
      summary: 'Leave a world',
      description:
        'Not for the owner. One’s keys to the world are deleted, and the seats removed that one made for oneself.',
      replies: { 204: done('The account is no member any longer.') },
      codes: ['permission_error'],
    },
    [`POST ${world}/invites`]: {
      id: 'create-invite',
      summary: 'Invite by email',
      description:
        'For the owner. The answer is the same whether or not an account has the email. Again: the same invite, its role changed.',
      body: {
        schema: fields({ email, role: memberRole }, ['email', 'role']),
        example: { email: 'bea@example.org', role: 'contributor' },
      },
      replies: { 201: { description: 'The invite.', schema: ref('Invite'), example: invite } },
      codes: ['permission_error', 'already_member'],
    },
    [`DELETE ${world}/invites/:id`]: {
      id: 'cancel-invite',
      summary: 'Cancel an invite',
      description: 'For the owner.',
      replies: { 204: done('It is cancelled.') },
      codes: ['permission_error'],
    },
    [`GET ${root}/invites`]: {
      id: 'list-received-invites',
      summary: 'List invites to the account',
      description:
        'Those to its verified emails: invites as a member, then offers to sponsor the agents of a world, which a link’s `sponsor_email` makes to who is not a member.',
      replies: {
        200: {
          description: 'The invites and offers.',
          schema: ref('ReceivedInviteList'),
          example: { data: [{ id: ids.invite, world: { id: ids.world, name: 'Eldenmoor' }, ...sent }] },
        },
      },
    },
    [`POST ${root}/invites/:id/accept`]: {
      id: 'accept-invite',
      summary: 'Accept an invite',
      description:
        'As a member the account needs a PIN, and a guest always gets a Character of its own. Who accepts an offer to sponsor needs none, and sponsors the agents that came and will come by those links.',
      body: {
        schema: fields({ roster_character: described(orNull(uuid), 'A Character to play.') }),
        example: { roster_character: elementId('character', 4) },
        optional: true,
      },
      replies: {
        201: {
          description: 'The membership, or the offer to sponsor as it was listed.',
          schema: { anyOf: [ref('Membership'), ref('SponsorOffer')] },
          example: {
            id: ids.membership,
            world: { id: ids.world, name: 'Eldenmoor' },
            kind: 'person',
            role: 'contributor',
            status: 'active',
            character: elementId('character', 4),
            roster_character: elementId('character', 4),
            joined_at: at,
          },
        },
      },
      codes: ['not_found', 'already_member', 'pin_required', 'invalid_link'],
    },
    [`POST ${root}/invites/:id/refuse`]: {
      id: 'refuse-invite',
      summary: 'Refuse an invite',
      description: 'Or an offer to sponsor; the owner then sponsors.',
      replies: { 204: done('It is refused.') },
      codes: ['not_found'],
    },
  },
}
