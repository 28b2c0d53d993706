/** Decides who joins and leaves a world, and as whom its members read and write it. */
import { type Members, rawValue } from '@worlds/domain/element-body'
import { characterHidden, invalid, invalidLink, noSuch } from '@worlds/domain/errors'
import { categories } from '@worlds/domain/registry'
import { type Answer, done, type Intent, type MadeCharacter, refused } from './intent'
import { isAbove, type Member } from './roll'
import type { WorldState } from './world-state'

type Of<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>

/**
 * Puts a member and its Character on the roll in one commit. A member that is on the roll already is left as it is. A
 * seat whose maker was demoted meanwhile gets the maker's role; one whose maker is gone does not join.
 */
export function decideJoin(world: WorldState, { member, character, made }: Of<'join'>): Answer {
  if (world.findMember(member.id) !== null) return done
  const maker = member.maker === null ? null : world.findMember(member.maker)
  if (member.maker !== null && maker?.status !== 'active') return refused(noSuch('member'))
  const role = maker !== null && isAbove(member.role, maker.role) ? maker.role : member.role
  const isPlayable = character !== null && isCharacter(world, character) && !world.isHidden(character)
  if (character !== null && !isPlayable && made === null) return refused(invalidLink('character', 'character'))
  const played = isPlayable ? character : made && makeCharacter(world, member.id, made)
  const place = [...world.members()].length + 1
  const joined = { ...member, role, status: 'active', character: played, place, joinedAt: world.now } as const
  world.changeMember(joined)
  return done
}

/** Seats that the member made for itself never stand above it: they are lowered with it, in the same commit. */
export function decideChangeMember(world: WorldState, intent: Of<'change-member'>): Answer {
  const member = world.findMember(intent.member)
  if (member === null || member.status === 'removed') return refused(noSuch('member'))
  const { role = member.role, character } = intent
  const maker = member.maker === null ? null : world.findMember(member.maker)
  if (maker !== null && intent.role !== undefined && isAbove(role, maker.role)) return refused(aboveMaker())
  if (typeof character === 'string') {
    if (!isCharacter(world, character)) return refused(invalidLink('character', 'character'))
    if (world.isHidden(character)) return refused(characterHidden())
  }
  const lowered = inRole(world, member, role)
  const changed = character === undefined ? lowered : { ...lowered, character }
  const isChanged = changed.role !== member.role || changed.character !== member.character
  if (isChanged) world.changeMember(changed)
  for (const seat of seatsOf(world, member.id)) {
    if (isAbove(seat.role, role)) world.changeMember(inRole(world, seat, role))
  }
  return done
}

const aboveMaker = () => invalid('role', 'The role is above that of the member who made this seat.')

/** The member with another role. Who becomes a guest keeps only a Character that it created. */
function inRole(world: WorldState, member: Member, role: Member['role']): Member {
  const keepsCharacter = role !== 'guest' || member.role === 'guest'
  return { ...member, role, character: keepsCharacter ? member.character : characterAsGuest(world, member) }
}

/** The active seats that a member made for itself. */
function seatsOf(world: WorldState, maker: string): Member[] {
  return [...world.members()].filter((member) => member.maker === maker && member.status === 'active')
}

/** The seats that the member made for itself go with it, in the same commit. */
export function decideLeave(world: WorldState, { member: id }: Of<'leave'>): Answer {
  const member = world.findMember(id)
  if (member === null) return refused(noSuch('member'))
  if (member.status === 'active') world.changeMember({ ...member, status: 'removed' })
  for (const seat of seatsOf(world, id)) world.changeMember({ ...seat, status: 'removed' })
  return done
}

/** An account is gone: what its member made stands without its name, each with a new place (B32). */
export function decideForget(world: WorldState, { elements }: Of<'forget'>): Answer {
  for (const id of elements) {
    const current = world.find(id)
    // Loaded without the name already; one that was made again meanwhile has a creator of its own.
    if (current !== null && current.createdBy === null) world.put(current)
  }
  return done
}

function characterAsGuest(world: WorldState, { id, character }: Member): string | null {
  return character !== null && world.sightOf(character)?.createdBy === id ? character : null
}

function isCharacter(world: WorldState, id: string): boolean {
  return world.categoryOf(id) === 'character'
}

function makeCharacter(world: WorldState, createdBy: string, { id, name, supertype }: MadeCharacter): string {
  const category = categories.get('character')
  if (category === undefined) throw new Error('no such category: character')
  const members: Members = new Map([
    ['name', rawValue(name)],
    ['supertype', rawValue(supertype)],
  ])
  world.put({ id, category, members, createdAt: world.now, createdBy })
  return id
}
