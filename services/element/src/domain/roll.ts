/** The roll: who reads and writes a world beside its owner, and as whom. */
import { type Role, type View, viewOf } from '@worlds/domain/view'

export interface Member {
  readonly id: string
  readonly kind: 'person' | 'agent'
  readonly role: Exclude<Role, 'owner'>
  readonly status: 'active' | 'removed'
  /** Agents have one. */
  readonly name: string | null
  readonly character: string | null
  /** The member that made this seat for itself; null for every other member. */
  readonly maker: string | null
  /** Order of joining. */
  readonly place: number
  readonly joinedAt: string
}

/** As it stands while the world's view version is `viewVersion`; a restored world counts anew in another timeline. */
export interface Roll {
  readonly timeline: number
  readonly viewVersion: number
  readonly members: ReadonlyMap<string, Member>
  readonly ownerCharacter: string | null
}

const ranks = { guest: 1, contributor: 2, co_builder: 3 } as const

export function isAbove(role: Member['role'], other: Member['role']): boolean {
  return ranks[role] > ranks[other]
}

/** What a member sees; nothing to see for one that is not active. */
export function viewOfMember({ id, role, character }: Member): View {
  return viewOf(role, id, character)
}

/** Everybody's Characters; rows of removed members stay on the roster, and theirs with them (A55). */
export function rosterOf(members: Iterable<Member>, ownerCharacter: string | null): Set<string> {
  const roster = new Set<string>()
  if (ownerCharacter !== null) roster.add(ownerCharacter)
  for (const { character } of members) if (character !== null) roster.add(character)
  return roster
}
