import { tooManyCarriers } from '@worlds/domain/errors'
import { admit } from '../domain/decide'
import { deleteAnswer, unlink } from '../domain/decide-element'
import { type Intent, refused, type Write } from '../domain/intent'
import type { Round } from './commit-world'
import { groupsOf, type Steps } from './steps'

type Delete = Extract<Intent, { kind: 'delete' }>

/** Bytes of elements that one deletion may rewrite: what a request has time for. */
const mostRewritten = 128 << 20

/** A deletion of what large elements link to: they lose their links in steps, then the element goes. */
export async function deleteInSteps(steps: Steps, write: Write, intent: Delete): Promise<Round> {
  const outline = await steps.loadOutline(write)
  if (outline === null) return steps.end({ kind: 'ask-again' })
  const writer = admit(outline, write)
  if ('kind' in writer) return steps.end(writer)
  const answer = deleteAnswer(outline, writer, intent)
  if (answer !== null) return steps.end(answer)

  const { carriers, withheld } = outline.facts
  const others = (carriers.get(intent.id) ?? []).filter((carrier) => carrier !== intent.id)
  const sizeOf = (carrier: string) => withheld.get(carrier)?.size ?? 0
  const bytes = others.reduce((sum, carrier) => sum + sizeOf(carrier), 0)
  if (bytes > mostRewritten) return steps.end(refused(tooManyCarriers(mostRewritten)))
  for (const group of groupsOf(others, sizeOf)) {
    const world = await steps.load(group, !writer.view.all)
    for (const id of group) {
      const carrier = world.find(id)
      if (carrier !== null) unlink(world, carrier, intent.id)
    }
    await steps.commit(world)
  }
  return steps.takeWhole(write)
}
