import { RefusalError } from '@worlds/domain/errors'
import type { ListElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/ListElementsRequest'
import type { PageHead } from '@worlds/proto/generated/worlds/element/v1/PageHead'
import type { PagePart } from '@worlds/proto/generated/worlds/element/v1/PagePart'
import { chunksOf } from '@worlds/runtime/chunks'
import { pageBytes } from '@worlds/runtime/page'
import { principalOf, toWire } from '@worlds/runtime/refusals'
import { listElements as readPage } from '../store/list-elements'
import { showAll } from './get-element'
import { readAs } from './read-as'
import { isCurrent } from './reply'
import type { Scope } from './scope'

/** The whole page stands before its first part is sent, so that a failure is still an answer of its own. */
export const listElements =
  (scope: Scope) =>
  async (request: ListElementsRequest__Output): Promise<PagePart[]> => {
    try {
      return await listPage(scope, request)
    } catch (error) {
      if (error instanceof RefusalError) return [{ refusal: toWire(error.refusal) }]
      throw error
    }
  }

async function listPage(scope: Scope, request: ListElementsRequest__Output): Promise<PagePart[]> {
  const principal = principalOf(request)
  const { type, limit, after, filters } = request
  const worldId = principal.world_id
  const found = await readAs(scope, principal, request.as, async (reader) => ({
    ...(await readPage(scope.database, { worldId, type, limit, after, filters, reader })),
    reader,
  }))
  if (!isCurrent(principal, found)) return [{ ask_again: true }]
  const presented = await showAll(scope, request, found.bodies, found.reader)
  // Stubs may make of a page that fits one that does not.
  const count = countWithin(presented, pageBytes)
  const page = {
    has_more: found.hasMore || count < presented.length,
    last: found.places[count - 1] ?? after,
    count,
  }
  return partsOf(page, presented.slice(0, count))
}

export function partsOf(page: PageHead, bodies: readonly string[]): PagePart[] {
  return chunksOf(bodies).map((chunk, index) => (index === 0 ? { page, bodies: chunk } : { bodies: chunk }))
}

/** How many bodies a page takes: until they fill it, and one at least. */
export function countWithin(bodies: readonly string[], limit: number): number {
  let count = 0
  for (let size = 0; count < bodies.length && size < limit; count += 1) size += bodies[count]?.length ?? 0
  return count
}
