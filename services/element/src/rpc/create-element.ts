import { readElementInput } from '@worlds/domain/element-input'
import { readJson } from '@worlds/domain/json-input'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { CreateElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/CreateElementRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { uuidv7 } from 'uuidv7'
import { onceByKey } from './once-by-key'
import { actorOf, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const createElement =
  (scope: Scope) =>
  (request: CreateElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const category = categoryOf(request.type)
      const json = readJson(request.body)
      const call = { principal, key: request.idempotency_key, route: `POST ${category.slug}`, json }
      return onceByKey(scope, call, async (receipt) => {
        const input = readElementInput(category, json.value, () => json.text, {
          requireName: true,
          readId: true,
          extensionPrefixes: scope.config.extensionPrefixes,
        })
        const intent = { kind: 'create', category, id: input.id ?? uuidv7(), input } as const
        return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt })
      })
    })
