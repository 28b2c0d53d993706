/**
 * Which members' views a batch moved otherwise than their feeds will tell: they must start anew
 * (L267 to L270; A1, A2, B5 to B9, D26, D27). The batch is looked at as a whole, for nobody ever
 * reads what is between two of its writes.
 */
import { type Sight, sees, type View } from '@worlds/domain/view'
import { type Member, viewOfMember } from './roll'
import type { WorldState } from './world-state'

export type Reason = 'role' | 'view'
export type Moves = ReadonlyMap<string, Reason>

/** A member has come to see an element by a write of it, which tells it; but not what else links to it. */
export interface Gain {
  readonly member: Member
  readonly id: string
}

export function viewMoves(world: WorldState): { readonly moves: Map<string, Reason>; readonly gains: readonly Gain[] } {
  const moves = new Map<string, Reason>()
  const gains: Gain[] = []
  let changes: readonly Change[] | undefined
  for (const before of world.facts.roll?.members.values() ?? []) {
    const after = world.findMember(before.id) ?? before
    if (after.status === 'removed') continue
    if (before.role !== after.role) {
      moves.set(before.id, 'role')
    } else if (after.role !== 'co_builder') {
      changes ??= changesOf(world)
      const told: string[] = []
      if (isMoved(world, before, after, changes, told)) moves.set(before.id, 'view')
      else gains.push(...told.map((id) => ({ member: after, id })))
    }
  }
  return { moves, gains }
}

interface Change {
  readonly id: string
  /** Null for what is made. */
  readonly before: Sight | null
  /** Null for what is deleted. */
  readonly after: Sight | null
}

/** What may be seen otherwise since: written, marked, come to the roster or gone from it. What is made is told by its place. */
function changesOf(world: WorldState): Change[] {
  const { touched, marksCome, marksGone, roster, rosterBefore } = world
  const ids = new Set([...touched.keys(), ...marksCome.keys(), ...marksGone])
  for (const id of [...roster, ...rosterBefore]) if (roster.has(id) !== rosterBefore.has(id)) ids.add(id)
  return [...ids].flatMap((id) => {
    const before = world.sightBefore(id)
    return before === null && !marksCome.has(id) ? [] : { id, before, after: world.sightOf(id) }
  })
}

function isMoved(
  world: WorldState,
  before: Member,
  after: Member,
  changes: readonly Change[],
  told: string[],
): boolean {
  // What the old Character saw may have been deleted since the member last looked.
  if (after.role === 'guest' && before.character !== after.character) return true
  const view = viewOfMember(after)
  return changes.some((change) => {
    const saw = change.before !== null && sees(view, change.before)
    const seesStill = change.after !== null && sees(view, change.after)
    if (saw === seesStill) return !saw && hidesDeletion(world, view, change)
    if (saw) return !isLossTold(world, view, change)
    if (change.before === null) return false
    if (!world.touched.has(change.id) || world.marksGone.has(change.id)) return true
    told.push(change.id)
    return false
  })
}

/** Who sees all that is open is told of hides and deletions alike; a guest only of what it saw go. */
function isLossTold({ tombstones }: WorldState, view: View, { id, after }: Change): boolean {
  return view.open || (after === null && tombstones.some((one) => one.id === id && sees(view, one)))
}

/** A hide keeps an earlier deletion of the same id from a guest that may hold what was deleted (D26). */
function hidesDeletion({ marksCome, facts }: WorldState, view: View, { id }: Change): boolean {
  return !view.open && marksCome.has(id) && facts.tombstones.some((one) => one.id === id && sees(view, one))
}
