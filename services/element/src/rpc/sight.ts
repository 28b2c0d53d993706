/** What the file service asks: what a key sees of its world, with its own eyes. */

import { notFound, RefusalError } from '@worlds/domain/errors'
import type { FindBirthsReply } from '@worlds/proto/generated/worlds/element/v1/FindBirthsReply'
import type { FindBirthsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/FindBirthsRequest'
import type { FindElementReply } from '@worlds/proto/generated/worlds/element/v1/FindElementReply'
import type { FindElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/FindElementRequest'
import type { FindElementsReply } from '@worlds/proto/generated/worlds/element/v1/FindElementsReply'
import type { FindElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/FindElementsRequest'
import type { FindImageUrlReply } from '@worlds/proto/generated/worlds/element/v1/FindImageUrlReply'
import type { FindImageUrlRequest__Output } from '@worlds/proto/generated/worlds/element/v1/FindImageUrlRequest'
import { orRefusal, principalOf } from '@worlds/runtime/refusals'
import { strictView } from '@worlds/views/reader'
import { authorFault } from '../domain/seen'
import * as sight from '../store/sight'
import { readAs } from './read-as'
import { isCurrent } from './reply'
import type { Scope } from './scope'

/** Ids of one call. */
const idsLimit = 10_000

export const findElement =
  (scope: Scope) =>
  (request: FindElementRequest__Output): Promise<FindElementReply> =>
    orRefusal(async () => {
      const principal = principalOf(request)
      const { type, id, to_change: toChange } = request
      const found = await readAs(scope, principal, '', async (reader) => ({
        ...(await sight.findElement(scope.database, principal.world_id, type, id, reader)),
        reader,
      }))
      if (!isCurrent(principal, found)) return { ask_again: true }
      const { element, name, reader } = found
      if (element === null) throw new RefusalError(notFound())
      // A contributor may have been served as one who sees everything; it changes its own all the same.
      const fault = toChange ? authorFault(strictView(reader), element) : null
      if (fault !== null) throw new RefusalError(fault)
      return { element: { id: element.id, type: element.type, birth: element.birth }, name }
    })

/** Without ids it still says whether the key is good. */
export const findElements =
  (scope: Scope) =>
  (request: FindElementsRequest__Output): Promise<FindElementsReply> =>
    orRefusal(async () => {
      const principal = principalOf(request)
      const ids = [...new Set(request.ids)]
      if (ids.length > idsLimit) throw new Error(`more than ${idsLimit} ids at once`)
      const found = await readAs(scope, principal, '', (reader) =>
        sight.findElements(scope.database, principal.world_id, ids, reader),
      )
      return isCurrent(principal, found) ? { found: { elements: [...found.elements] } } : { ask_again: true }
    })

export const findBirths =
  ({ database }: Scope) =>
  async ({ world_id, ids }: FindBirthsRequest__Output): Promise<FindBirthsReply> => {
    const { world, elements } = await sight.findBirths(database, world_id, ids)
    return { world, elements: [...elements] }
  }

export const findImageUrl =
  (scope: Scope) =>
  (request: FindImageUrlRequest__Output): Promise<FindImageUrlReply> =>
    orRefusal(async () => {
      const principal = principalOf(request)
      const found = await readAs(scope, principal, '', (reader) =>
        sight.findImageUrl(scope.database, principal.world_id, request.url, reader),
      )
      return isCurrent(principal, found) ? { referenced: found.referenced } : { ask_again: true }
    })
