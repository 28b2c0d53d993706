/**
 * What a reader sees of a world: the one definition, which SQL predicates are written from, bodies
 * are cut by, and tests are held against (L448 to L457; A9, A53, A55, D29).
 */
export interface View {
  /** Sees every element, hidden ones too. */
  readonly all: boolean
  /** Sees every element that is not hidden. */
  readonly open: boolean
  /** Sees what this membership created, hidden or not. */
  readonly creator: string | null
  /** Sees this Character, what names it in `characters`, unless hidden. */
  readonly character: string | null
  /** Sees the roster's Characters, unless hidden. */
  readonly roster: boolean
}

export type Role = 'owner' | 'co_builder' | 'contributor' | 'guest'

const none: View = { all: false, open: false, creator: null, character: null, roster: false }

/** The owner's and co-builders'. */
export const fullView: View = { ...none, all: true }

/** Everything not hidden: no creations, no grants. */
export const publicView: View = { ...none, open: true }

/** A guest of a Character without a membership: nothing counts as its own creation. */
export function characterView(character: string): View {
  return { ...none, character, roster: true }
}

export function viewOf(role: Role, membership: string, character: string | null): View {
  if (role === 'owner' || role === 'co_builder') return fullView
  if (role === 'contributor') return { ...publicView, creator: membership }
  return { ...none, creator: membership, character, roster: true }
}

/** What of an element a view depends on. */
export interface Sight {
  readonly id: string
  readonly createdBy: string | null
  readonly hidden: boolean
  /** Ids that its `characters` name. */
  readonly characters: readonly string[]
  /** It is the Character of somebody on the roster. */
  readonly onRoster: boolean
}

export function sees(view: View, element: Sight): boolean {
  if (view.all) return true
  if (view.creator !== null && element.createdBy === view.creator) return true
  if (element.hidden) return false
  if (view.open) return true
  if (view.character !== null && (element.id === view.character || element.characters.includes(view.character)))
    return true
  return view.roster && element.onRoster
}
