import type { MemberRole } from './members'

/** How somebody is let into a world: rows of /api/v2/account, from what the store knows. */

export interface Invite {
  readonly id: string
  readonly email: string
  readonly role: MemberRole
  readonly createdAt: string
}

export interface ReceivedInvite extends Invite {
  readonly worldId: string
}

/** To sponsor the seats that come by the links of a world. */
export interface SponsorOffer {
  readonly id: string
  readonly worldId: string
  readonly createdAt: string
}

/** Who sponsors the seats that come by a link. */
export interface LinkSponsor {
  /** Null when the owner sponsors, for the time being or for good. */
  readonly account: string | null
  /** The offer that has to be accepted; null when there is none. */
  readonly offer: string | null
}

export type LinkReader = 'agent' | 'player'

export interface JoinLink {
  readonly id: string
  readonly reader: LinkReader
  readonly role: MemberRole
  readonly name: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly withCharacter: boolean
  /** open, used, revoked or expired. */
  readonly status: string
}

export function inviteRow(invite: Invite) {
  return { id: invite.id, email: invite.email, role: invite.role, created_at: invite.createdAt }
}

export function receivedInviteRow(invite: ReceivedInvite, worldName: string) {
  const { id, ...rest } = inviteRow(invite)
  return { id, world: { id: invite.worldId, name: worldName }, ...rest }
}

export function sponsorOfferRow({ id, worldId, createdAt }: SponsorOffer, worldName: string) {
  return { id, kind: 'sponsor', world: { id: worldId, name: worldName }, created_at: createdAt }
}

export function linkRow(link: JoinLink) {
  return {
    id: link.id,
    reader: link.reader,
    role: link.role,
    name: link.name,
    expires_at: link.expiresAt,
    status: link.status,
    created_at: link.createdAt,
  }
}

export interface Entry {
  readonly key: string
  /** Null for who only reads. */
  readonly pin: string | null
  readonly worldId: string
  readonly character: string | null
}

/** Lines for an environment file. Ids stand for world and Character, since a name may hold anything. */
export function envOf({ key, pin, worldId, character }: Entry, apiUrl: string): string {
  return [
    `OW_API_KEY=${key}`,
    `OW_API_PIN=${pin ?? ''}`,
    `OW_WORLD=${worldId}`,
    `OW_CHARACTER=${character ?? ''}`,
    `OW_API_BASE=${apiUrl}`,
  ].join('\n')
}

/** What somebody who has just joined may do first. */
export function nextSteps(pin: string | null, apiUrl: string): string[] {
  return [
    'Keep the key, and the pin if there is one: they are shown this once.',
    `Send the key as API-Key with every request to ${apiUrl}; GET /me tells who you are.`,
    pin === null
      ? 'This key reads: GET /changes follows what you see of the world.'
      : 'Send the pin as API-Pin with whatever writes; GET /changes follows the world.',
  ]
}
