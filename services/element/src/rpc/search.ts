import { readUuid } from '@worlds/domain/uuid'
import type { CountTypingsReply } from '@worlds/proto/generated/worlds/element/v1/CountTypingsReply'
import type { CountTypingsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/CountTypingsRequest'
import type { SearchElementsReply } from '@worlds/proto/generated/worlds/element/v1/SearchElementsReply'
import type { SearchElementsRequest__Output } from '@worlds/proto/generated/worlds/element/v1/SearchElementsRequest'
import { orRefusal, principalOf } from '@worlds/runtime/refusals'
import * as typings from '../store/count-typings'
import { search } from '../store/search'
import { readAs } from './read-as'
import { isCurrent } from './reply'
import type { Scope } from './scope'

export const searchElements =
  (scope: Scope) =>
  (request: SearchElementsRequest__Output): Promise<SearchElementsReply> =>
    orRefusal(async () => {
      const principal = principalOf(request)
      const { q, types, limit, after: sent } = request
      const after = sent && { rank: sent.rank, foldedName: sent.folded_name, id: readUuid(sent.id) ?? '' }
      const found = await readAs(scope, principal, request.as, (reader) =>
        search(scope.database, { worldId: principal.world_id, q, types, limit, after, reader }),
      )
      if (!isCurrent(principal, found)) return { ask_again: true }
      const page = found.hits.slice(0, limit)
      const last = found.hits.length > limit ? page.at(-1) : undefined
      const next = last && { rank: last.rank, folded_name: last.foldedName, id: last.id }
      return { hits: { rows: Buffer.from(page.map(({ text }) => text).join()), next } }
    })

export const countTypings =
  (scope: Scope) =>
  (request: CountTypingsRequest__Output): Promise<CountTypingsReply> =>
    orRefusal(async () => {
      const principal = principalOf(request)
      const found = await readAs(scope, principal, request.as, (reader) =>
        typings.countTypings(scope.database, principal.world_id, request.type, reader),
      )
      return isCurrent(principal, found) ? { counts: { counts: [...found.counts] } } : { ask_again: true }
    })
