import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { DeleteElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/DeleteElementRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { actorOf, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const deleteElement =
  (scope: Scope) =>
  (request: DeleteElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const intent = { kind: 'delete', category: categoryOf(request.type), id: request.id } as const
      return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt: null })
    })
