/** Decides who joins and leaves a world, and as whom its members read and write it. */
import { type Members, rawValue } from '@worlds/domain/element-body'
import { characterHidden, invalidLink, noSuch } from '@worlds/domain/errors'
import { categories } from '@worlds/domain/registry'
import { type Answer, done, type Intent, type MadeCharacter, refused } from './intent'
import type { Member } from './roll'
import type { WorldState } from './world-state'

type Of<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>

/** The member and its Character come in one commit (B31). Whoever is on the roll stays as it stands there. */
export function decideJoin(world: WorldState, { member, character, made }: Of<'join'>): Answer {
  if (world.findMember(member.id) !== null) return done
  const isPlayable = character !== null && isCharacter(world, character) && !world.isHidden(character)
  if (character !== null && !isPlayable && made === null) return refused(invalidLink('character', 'character'))
  const played = isPlayable ? character : made && makeCharacter(world, member.id, made)
  const place = [...world.members()].length + 1
  const joined = { ...member, status: 'active', character: played, place, joinedAt: world.now } as const
  world.changeMember(joined)
  return done
}

export function decideChangeMember(world: WorldState, intent: Of<'change-member'>): Answer {
  const member = world.findMember(intent.member)
  if (member === null || member.status === 'removed') return refused(noSuch('member'))
  const { role = member.role, character } = intent
  if (typeof character === 'string') {
    if (!isCharacter(world, character)) return refused(invalidLink('character', 'character'))
    if (world.isHidden(character)) return refused(characterHidden())
  }
  const kept = role === 'guest' && member.role !== 'guest' ? characterAsGuest(world, member) : member.character
  const changed = { ...member, role, character: character === undefined ? kept : character }
  const isChanged = changed.role !== member.role || changed.character !== member.character
  if (isChanged) world.changeMember(changed)
  return done
}

export function decideLeave(world: WorldState, { member: id }: Of<'leave'>): Answer {
  const member = world.findMember(id)
  if (member === null) return refused(noSuch('member'))
  if (member.status === 'active') world.changeMember({ ...member, status: 'removed' })
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

/** Who becomes a guest keeps only a Character of its own making (L149, A58). */
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
