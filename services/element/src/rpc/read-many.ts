/** For lists without pages: the ids of a whole list as of one moment, then the elements, some at a time. */
import { RefusalError } from '@worlds/domain/errors'
import type { IdsPart } from '@worlds/proto/generated/worlds/element/v1/IdsPart'
import type { ListElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/ListElementsRequest'
import type { PagePart } from '@worlds/proto/generated/worlds/element/v1/PagePart'
import type { ReadElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/ReadElementsRequest'
import type { CallContext } from '@worlds/runtime/operation'
import { pageBytes } from '@worlds/runtime/page'
import { principalOf, toWire } from '@worlds/runtime/refusals'
import { packIds, unpackIds } from '@worlds/runtime/uuid-bytes'
import * as lists from '../store/list-elements'
import * as elements from '../store/read-element'
import { bytesOf, partsOf } from './list-elements'
import { readAs } from './read-as'
import { isCurrent } from './reply'
import type { Scope } from './scope'
import { showAll } from './show'

/** Ids of one message: a mebibyte. */
const idsOfPart = 65_536

export const listIds =
  (scope: Scope) =>
  (request: ListElementsRequest__Output): Promise<IdsPart[]> =>
    refusable(async () => {
      const principal = principalOf(request)
      const { type, offset, filters } = request
      const limit = request.limit === 0 ? null : request.limit
      const found = await readAs(scope, principal, '', (reader) =>
        lists.listIds(scope.database, { worldId: principal.world_id, type, limit, offset, filters, reader }),
      )
      if (!isCurrent(principal, found)) return [{ ask_again: true }]
      const parts: IdsPart[] = []
      for (let from = 0; from === 0 || from < found.ids.length; from += idsOfPart) {
        parts.push({ ids: packIds(found.ids.slice(from, from + idsOfPart)) })
      }
      return parts
    })

export const readElements =
  (scope: Scope) =>
  (request: ReadElementsRequest__Output, context: CallContext): Promise<PagePart[]> =>
    refusable(async () => {
      const principal = principalOf(request)
      const ids = unpackIds(request.ids)
      const lease = await context.reserve(scope.memory, pageBytes)
      const found = await readAs(scope, principal, '', async (reader) => ({
        ...(await elements.readElements(scope.database, principal.world_id, request.type, ids, reader)),
        reader,
      }))
      if (!isCurrent(principal, found)) return [{ ask_again: true }]
      const texts = found.bodies.map(({ text }) => text)
      const showing = { ...request, expand: [], fields: [], has_fields: false }
      const shown = await showAll(scope.database, showing, texts, found.reader, pageBytes)
      // Done are the ids before the first that was read and is not shown, or that may not have been read.
      const next = found.bodies[shown.length]?.id
      const last = found.bodies.at(-1)?.id ?? ''
      const count = next !== undefined ? ids.indexOf(next) : found.isFull ? ids.indexOf(last) + 1 : ids.length
      const parts = partsOf({ has_more: false, last: 0, count }, shown)
      lease.resize(bytesOf(parts))
      return parts
    })

async function refusable<Part>(
  work: () => Promise<Part[]>,
): Promise<(Part | { refusal: ReturnType<typeof toWire> })[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusalError) return [{ refusal: toWire(error.refusal) }]
    throw error
  }
}
