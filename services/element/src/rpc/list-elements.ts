import type { ListElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/ListElementsRequest'
import type { PagePart } from '@worlds/proto/generated/worlds/element/v1/PagePart'
import { chunksOf } from '@worlds/runtime/chunks'
import { listElements as readPage } from '../store/list-elements'
import { presentAll, presentationOf } from './get-element'
import { isCurrent, principalOf } from './reply'
import type { Scope } from './scope'

/** The whole page stands before its first part is sent, so that a failure is still an answer of its own. */
export const listElements =
  ({ database }: Scope) =>
  async (request: ListElementsRequest__Output): Promise<PagePart[]> => {
    const principal = principalOf(request)
    const { type, limit, after, filters } = request
    const found = await readPage(database, { worldId: principal.world_id, type, limit, after, filters })
    if (!isCurrent(principal, found)) return [{ ask_again: true }]
    const bodies = await presentAll(database, principal.world_id, found.bodies, presentationOf(request))
    const page = { has_more: found.hasMore, last: found.last }
    return chunksOf(bodies).map((chunk, index) => (index === 0 ? { page, bodies: chunk } : { bodies: chunk }))
  }
