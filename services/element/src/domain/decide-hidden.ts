import { notCoBuilder, notFound } from '@worlds/domain/errors'
import type { Writer } from './decide-element'
import { type Answer, done, type Intent, refused } from './intent'
import type { WorldState } from './world-state'

type HiddenIntent = Extract<Intent, { kind: 'hide' | 'unhide' }>

/** Hides an element or shows it again; what is so already stays as it is (L161, L162; A1). */
export function decideHidden(world: WorldState, writer: Writer, { kind, category, id, fault }: HiddenIntent): Answer {
  // Decided before the request is looked at, so that it says nothing of the id (L312, A43).
  if (!writer.view.all) return refused(notCoBuilder())
  if (fault !== null) return refused(fault)
  const current = world.find(id)
  if (current === null || current.category !== category) return refused(notFound())
  if (kind === 'hide' && !world.isHidden(id)) world.hide(current, writer.membership)
  if (kind === 'unhide' && world.isHidden(id)) world.unhide(id)
  return done
}
