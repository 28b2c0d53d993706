import { coerceIds } from '@worlds/domain/coercion'
import { invalid, RefusalError, unknownField } from '@worlds/domain/errors'
import { isObject, readJson } from '@worlds/domain/json-input'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { EditLinksRequest__Output } from '@worlds/proto/generated/worlds/element/v1/EditLinksRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { actorOf, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const editLinks =
  (scope: Scope) =>
  (request: EditLinksRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const category = categoryOf(request.type)
      const { id, field, if_match: ifMatch } = request
      const intent = { kind: 'links', category, id, field, ...readLists(request.body), ifMatch } as const
      return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt: null })
    })

function readLists(body: Buffer): { add: readonly string[]; remove: readonly string[] } {
  const { value } = readJson(body)
  if (!isObject(value)) throw new RefusalError(invalid(null, 'The body is {add, remove}, each a list of ids.'))
  const lists = { add: [] as readonly string[], remove: [] as readonly string[] }
  for (const [name, sent] of Object.entries(value)) {
    if (name !== 'add' && name !== 'remove') throw new RefusalError(unknownField(name))
    const coerced = coerceIds(name, sent ?? [])
    if ('refusal' in coerced) throw new RefusalError(coerced.refusal)
    lists[name] = coerced.value as readonly string[]
  }
  return lists
}
