import type { RollMember__Output as RollMember } from '@worlds/proto/generated/worlds/element/v1/RollMember'

/** From the least to the most. */
export const memberRoles = ['guest', 'contributor', 'co_builder'] as const

export type MemberRole = (typeof memberRoles)[number]

/** Whether `role` is more than a member of the other role may give; the owner may give any. */
export function isAbove(role: MemberRole, own: string): boolean {
  const roles: readonly string[] = memberRoles
  return own !== 'owner' && roles.indexOf(role) > roles.indexOf(own)
}

export function rosterRow(member: RollMember) {
  return {
    id: orNull(member.id),
    kind: member.kind,
    role: member.role,
    character: orNull(member.character),
    status: member.status,
    ...(member.kind === 'agent' ? { name: member.name } : {}),
  }
}

/** `sponsored` tells whether the caller is the sponsor. */
export function memberRow(member: RollMember, sponsored: boolean) {
  return { ...rosterRow(member), joined_at: member.joined_at, sponsored }
}

export interface SeatFacts {
  /** The caller is its sponsor. */
  readonly sponsor: boolean
  readonly createdAt: string
}

export function seatRow(member: RollMember, { sponsor, createdAt }: SeatFacts) {
  return {
    id: member.id,
    role: member.role,
    agent_name: member.name,
    character: orNull(member.character),
    status: member.status,
    sponsor,
    created_at: createdAt,
  }
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}
