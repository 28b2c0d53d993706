/** The classic dialect's face over reads and writes: the same bodies, otherwise told. */
import { ClassicView, classicParam, fromClassicName } from '@worlds/domain/classic'
import { RefusalError } from '@worlds/domain/errors'
import type { Category } from '@worlds/domain/registry'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import { ownerReader } from '@worlds/views/reader'
import type { Answer } from '../domain/intent'
import type { Scope } from './scope'
import { showAll } from './show'

/** Reads a classic body by the rules of the current dialect; what they refuse is named as it is written here. */
export function readClassic<T>(category: Category, read: (nameOf: (sent: string) => string) => T): T {
  let isUnknown = false
  const nameOf = (sent: string) => {
    isUnknown = true
    const name = fromClassicName(category, sent)
    isUnknown = false
    return name
  }
  try {
    return read(nameOf)
  } catch (error) {
    if (isUnknown || !(error instanceof RefusalError)) throw error
    throw new RefusalError({ ...error.refusal, param: classicParam(category, error.refusal.param) })
  }
}

/** A write's answer as the dialect shows it to the writer. */
export async function answerClassic(
  { database, readers }: Scope,
  principal: Principal__Output,
  category: Category,
  answer: Answer,
): Promise<Answer> {
  if (answer.kind !== 'body') return answer
  const { world_id: worldId, membership } = principal
  const reader = membership === '' ? ownerReader : await readers.find(worldId, membership)
  // Who has left meanwhile has written all the same, and is shown no other elements.
  if (reader === null) return { ...answer, body: new ClassicView(category, answer.body).show(worldId, new Map()) }
  const showing = { principal, type: category.slug, expand: [], fields: [], has_fields: false, classic: true }
  const [body = ''] = await showAll(database, showing, [answer.body], reader)
  return { ...answer, body }
}
