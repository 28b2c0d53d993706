import { RefusalError } from '@worlds/domain/errors'
import type { ListElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/ListElementsRequest'
import type { PageHead } from '@worlds/proto/generated/worlds/element/v1/PageHead'
import type { PagePart } from '@worlds/proto/generated/worlds/element/v1/PagePart'
import { chunksOf } from '@worlds/runtime/chunks'
import type { CallContext } from '@worlds/runtime/operation'
import { pageBytes } from '@worlds/runtime/page'
import { principalOf, toWire } from '@worlds/runtime/refusals'
import { listElements as readPage } from '../store/list-elements'
import { readAs } from './read-as'
import { isCurrent } from './reply'
import type { Scope } from './scope'
import { showAll } from './show'

/** The whole page stands before its first part is sent, so that a failure is still an answer of its own. */
export const listElements =
  (scope: Scope) =>
  async (request: ListElementsRequest__Output, context: CallContext): Promise<PagePart[]> => {
    try {
      return await listPage(scope, request, context)
    } catch (error) {
      if (error instanceof RefusalError) return [{ refusal: toWire(error.refusal) }]
      throw error
    }
  }

async function listPage(scope: Scope, request: ListElementsRequest__Output, context: CallContext): Promise<PagePart[]> {
  const principal = principalOf(request)
  const { type, limit, after, filters } = request
  const worldId = principal.world_id
  const lease = await context.reserve(scope.memory, expectedBytes(scope, request, worldId))
  const found = await readAs(scope, principal, request.as, async (reader) => ({
    ...(await readPage(scope.database, { worldId, type, limit, after, filters, reader })),
    reader,
  }))
  if (!isCurrent(principal, found)) return [{ ask_again: true }]
  scope.pageSizes.learn(worldId, found.largest)
  const most = request.page_bytes === 0 ? pageBytes : request.page_bytes
  // Stubs may make of a page that fits one that does not.
  const shown = await showAll(scope.database, request, found.bodies, found.reader, most)
  const count = shown.length
  const page = {
    has_more: found.hasMore || count < found.bodies.length,
    last: found.places[count - 1] ?? after,
    count,
  }
  const parts = partsOf(page, shown)
  lease.resize(bytesOf(parts))
  return parts
}

/** Bytes that a page may take, as far as is known before it is read. */
function expectedBytes({ pageSizes }: Scope, { limit, expand, classic }: ListElementsRequest__Output, worldId: string) {
  return classic || expand.length > 0 ? pageBytes : pageSizes.expect(worldId, limit + 1)
}

export function partsOf(page: PageHead, bodies: readonly string[]): PagePart[] {
  const chunks = chunksOf(bodies)
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  return chunks.map((chunk, index) => (index === 0 ? { page: { ...page, bytes }, bodies: chunk } : { bodies: chunk }))
}

export function bytesOf([first]: readonly PagePart[]): number {
  return Number(first?.page?.bytes ?? 0)
}
