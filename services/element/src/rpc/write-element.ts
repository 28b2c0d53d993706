import { readElementInput } from '@worlds/domain/element-input'
import { readJson } from '@worlds/domain/json-input'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { WriteElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/WriteElementRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { actorOf, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const putElement =
  (scope: Scope) =>
  (request: WriteElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const { category, input } = readBody(scope, request, true)
      const intent = { kind: 'put', category, id: request.id, input } as const
      return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt: null })
    })

export const patchElement =
  (scope: Scope) =>
  (request: WriteElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const { category, input } = readBody(scope, request, false)
      const intent = { kind: 'patch', category, id: request.id, input, ifMatch: request.if_match } as const
      return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt: null })
    })

function readBody({ config }: Scope, request: WriteElementRequest__Output, requireName: boolean) {
  const category = categoryOf(request.type)
  const json = readJson(request.body)
  const rules = { requireName, readId: false, extensionPrefixes: config.extensionPrefixes }
  return { category, input: readElementInput(category, json.value, () => json.text, rules) }
}
