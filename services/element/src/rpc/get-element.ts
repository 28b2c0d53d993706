import { gone, notFound, type Refusal } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/GetElementRequest'
import type { CallContext } from '@worlds/runtime/operation'
import { principalOf } from '@worlds/runtime/refusals'
import type { Reader } from '@worlds/views/reader'
import { refused } from '../domain/intent'
import { type FoundElement, readElement, sizeReadAtOnce, wasDeleted } from '../store/read-element'
import { readAs } from './read-as'
import { isCurrent, reply } from './reply'
import type { Scope } from './scope'
import { showAll, shownLimit } from './show'

export const getElement =
  (scope: Scope) =>
  (request: GetElementRequest__Output, context: CallContext): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const found = await readAs(scope, principal, request.as, async (reader) => ({
        ...(await read(scope, request, reader, context)),
        reader,
      }))
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      const { body, reader } = found
      if (body === null) return refused(await missing(scope, request, reader))
      if (request.classic || request.expand.length > 0) await context.reserve(scope.memory, shownLimit)
      const [shown = ''] = await showAll(scope.database, request, [body], reader)
      return { kind: 'body', status: 200, body: shown }
    })

/** A large body is read once its bytes are reserved: as text, as bytes, and as they are sent. */
async function read(
  { database, memory }: Scope,
  request: GetElementRequest__Output,
  reader: Reader,
  context: CallContext,
): Promise<FoundElement> {
  const { world_id: worldId } = principalOf(request)
  const { type, id } = request
  const found = await readElement(database, worldId, type, id, reader, sizeReadAtOnce)
  if (found.size <= sizeReadAtOnce) return found
  await context.reserve(memory, found.size * 3)
  return readElement(database, worldId, type, id, reader, found.size * 2)
}

/** Who reads as a co-builder or contributor is told that an element was deleted, never that one is hidden (A63). */
async function missing({ database }: Scope, request: GetElementRequest__Output, { member }: Reader): Promise<Refusal> {
  const isTold = request.as !== '' && member !== null && member.role !== 'guest'
  const { world_id: worldId } = principalOf(request)
  return isTold && (await wasDeleted(database, worldId, request.type, request.id)) ? gone() : notFound()
}
