import { readElementInput } from '@worlds/domain/element-input'
import { readJson } from '@worlds/domain/json-input'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { WriteElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/WriteElementRequest'
import { principalOf } from '@worlds/runtime/refusals'
import type { Answer, ElementIntent } from '../domain/intent'
import { answerClassic, readClassic } from './classic'
import { actorOf, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const putElement =
  (scope: Scope) =>
  (request: WriteElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const { category, input } = readBody(scope, request, true)
      const kind = request.classic ? 'replace' : 'put'
      return write(scope, request, principal, { kind, category, id: request.id, input })
    })

export const patchElement =
  (scope: Scope) =>
  (request: WriteElementRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const { category, input } = readBody(scope, request, false)
      const { id, if_match: ifMatch } = request
      return write(scope, request, principal, { kind: 'patch', category, id, input, ifMatch })
    })

async function write(
  scope: Scope,
  { classic }: WriteElementRequest__Output,
  principal: Principal__Output,
  intent: Extract<ElementIntent, { kind: 'put' | 'replace' | 'patch' }>,
): Promise<Answer> {
  const answer = await scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt: null })
  return classic ? answerClassic(scope, principal, intent.category, answer) : answer
}

function readBody({ config }: Scope, request: WriteElementRequest__Output, requireName: boolean) {
  const category = categoryOf(request.type)
  const json = readJson(request.body)
  const rules = { requireName, readId: false, extensionPrefixes: config.extensionPrefixes }
  const read = (nameOf?: (sent: string) => string) =>
    readElementInput(category, json.value, () => json.text, { ...rules, ...(nameOf && { nameOf }) })
  return { category, input: request.classic ? readClassic(category, read) : read() }
}
