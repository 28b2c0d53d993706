import { notFound } from '@worlds/domain/errors'
import { type Actor, type Answer, type Intent, refused } from './intent'
import type { WorldState } from './world-state'

type HiddenIntent = Extract<Intent, { kind: 'hide' | 'unhide' }>

/** Hides an element or shows it again; what is so already stays as it is (L161, L162; A1). */
export function decideHidden(world: WorldState, actor: Actor, { kind, category, id }: HiddenIntent): Answer {
  const current = world.find(id)
  if (current === null || current.category !== category) return refused(notFound())
  if (kind === 'hide' && !world.isHidden(id)) world.hide(current, actor.membership)
  if (kind === 'unhide' && world.isHidden(id)) world.unhide(id)
  return { kind: 'body', status: 204, body: '' }
}
