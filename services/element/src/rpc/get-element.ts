import { storedLimit } from '@worlds/domain/element-body'
import { gone, notFound, type Refusal } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/GetElementRequest'
import type { CallContext } from '@worlds/runtime/operation'
import { principalOf } from '@worlds/runtime/refusals'
import type { Reader } from '@worlds/views/reader'
import { refused } from '../domain/intent'
import { anySize, type FoundElement, readElement, sizeReadAtOnce, wasDeleted } from '../store/read-element'
import { readAs } from './read-as'
import { isCurrent, reply } from './reply'
import type { Scope } from './scope'
import { showAll, shownLimit } from './show'

export const getElement =
  (scope: Scope) =>
  (request: GetElementRequest__Output, context: CallContext): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const read = await readerOf(scope, request, context)
      const found = await readAs(scope, principal, request.as, async (reader) => ({ ...(await read(reader)), reader }))
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      const { body, reader } = found
      if (body === null) return refused(await missing(scope, request, reader))
      const [shown = ''] = await showAll(scope.database, request, [body], reader)
      return { kind: 'body', status: 200, body: shown }
    })

/** What an element takes as text, as bytes, and as they are sent, in times its size. */
const memoryFactor = 3

/** Reads the element once there is memory for it: of one with stubs at first, else of one that proves to be large. */
async function readerOf(
  { database, memory }: Scope,
  request: GetElementRequest__Output,
  context: CallContext,
): Promise<(reader: Reader) => Promise<FoundElement>> {
  const { world_id: worldId } = principalOf(request)
  const { type, id } = request
  const read = (reader: Reader, largest: number) => readElement(database, worldId, type, id, reader, largest)
  if (request.classic || request.expand.length > 0) {
    await context.reserve(memory, shownLimit + storedLimit)
    return (reader) => read(reader, anySize)
  }
  let isReserved = false
  return async (reader) => {
    const found = await read(reader, isReserved ? anySize : sizeReadAtOnce)
    if (found.body !== null || found.size <= sizeReadAtOnce) return found
    await context.reserve(memory, found.size * memoryFactor)
    isReserved = true
    return read(reader, anySize)
  }
}

/** Who reads as a co-builder or contributor is told that an element was deleted, never that one is hidden (A63). */
async function missing({ database }: Scope, request: GetElementRequest__Output, { member }: Reader): Promise<Refusal> {
  const isTold = request.as !== '' && member !== null && member.role !== 'guest'
  const { world_id: worldId } = principalOf(request)
  return isTold && (await wasDeleted(database, worldId, request.type, request.id)) ? gone() : notFound()
}
