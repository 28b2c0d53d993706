import { type ElementInput, readElementInput } from '@worlds/domain/element-input'
import { readJson } from '@worlds/domain/json-input'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { CreateElementRequest__Output } from '@worlds/proto/generated/worlds/element/v1/CreateElementRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { uuidv7 } from 'uuidv7'
import type { ReceiptKey } from '../domain/intent'
import { answerClassic, readClassic } from './classic'
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
      const rules = { requireName: true, readId: true, extensionPrefixes: scope.config.extensionPrefixes }
      const read = (nameOf?: (sent: string) => string) =>
        readElementInput(category, json.value, () => json.text, { ...rules, ...(nameOf && { nameOf }) })
      const create = async (input: ElementInput, receipt: ReceiptKey | null) => {
        const intent = { kind: 'create', category, id: input.id ?? uuidv7(), input } as const
        return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt })
      }
      if (request.classic) {
        const answer = await create(readClassic(category, read), null)
        return answerClassic(scope, principal, category, answer)
      }
      return onceByKey(scope, call, async (receipt) => create(read(), receipt))
    })
