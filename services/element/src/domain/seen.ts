/** Elements as a reader who does not see everything reads and writes them. */
import { idsOf, isLinkField, linksOf, type Members, rawValue, scrub } from '@worlds/domain/element-body'
import { notAuthor, type Refusal } from '@worlds/domain/errors'
import type { Category, Field } from '@worlds/domain/registry'
import type { View } from '@worlds/domain/view'
import { type Element, show, type WorldState } from './world-state'

/** The element as `view` reads it: without links to what that does not see (B44). */
export function showTo(world: WorldState, view: View, element: Element): string {
  const unseen = view.all
    ? []
    : linksOf(element.category, element.members).filter(({ target }) => !world.isSeen(view, target))
  if (unseen.length === 0) return show(element)
  const members = new Map(element.members)
  for (const { target } of unseen) scrub(element.category, members, target)
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
    const unseen = idsOf(field, stored).filter((id) => !world.isSeen(view, id))
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
