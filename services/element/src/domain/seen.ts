/** Elements as a reader who does not see everything reads and writes them. */
import { idsOf, isLinkField, linksOf, type Members, rawValue, scrub } from '@worlds/domain/element-body'
import { notAuthor, type Refusal } from '@worlds/domain/errors'
import type { Category, Field } from '@worlds/domain/registry'
import type { View } from '@worlds/domain/view'
import { type Element, show, type WorldState } from './world-state'

/** The element as `view` reads it: without links to what that does not see (B44). */
export function showTo(world: WorldState, view: View, element: Element): string {
  if (view.all) return show(element)
  const targets = linksOf(element.category, element.members).map(({ target }) => target)
  const unseen = new Set(targets.filter((target) => !world.isSeen(view, target)))
  if (unseen.size === 0) return show(element)
  const members = new Map(element.members)
  scrub(element.category, members, unseen)
  return show({ ...element, members })
}

/** Refuses who sees an element but did not create it (L454); who sees everything changes everything. */
export function authorFault(view: View, { createdBy }: Pick<Element, 'createdBy'>): Refusal | null {
  return view.all || (createdBy !== null && createdBy === view.creator) ? null : notAuthor()
}

/**
 * Puts back what `stored` links to and its writer does not see, after what it sent: no write of
 * such a reader takes a link away that it could not know of (L332, L457; B17).
 */
export function keepUnseen(world: WorldState, view: View, category: Category, stored: Members, members: Members): void {
  if (view.all) return
  for (const field of category.fields) {
    if (!isLinkField(field)) continue
    // What is still to be made, by a later item of the same bulk, hides from nobody.
    const unseen = idsOf(field, stored).filter((id) => world.sightOf(id) !== null && !world.isSeen(view, id))
    if (unseen.length > 0) keep(field, unseen, stored, members)
  }
}

function keep(field: Field, unseen: readonly string[], stored: Members, members: Members): void {
  const sent = idsOf(field, members)
  if (field.kind === 'multi_link') {
    members.set(field.name, rawValue([...new Set([...sent, ...unseen])]))
  } else if (sent.length === 0) {
    members.set(field.name, rawValue(unseen[0] ?? null))
    // The two halves of pin's link are one.
    if (field.kind === 'generic_id') members.set('element_type', stored.get('element_type') ?? '""')
  }
}
