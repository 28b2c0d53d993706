import { readElementInput } from '@worlds/domain/element-input'
import { clip, invalid, type Refusal, RefusalError, unknownField } from '@worlds/domain/errors'
import { isObject, type JsonInput, readJson } from '@worlds/domain/json-input'
import { scanItems, scanMembers } from '@worlds/domain/json-spans'
import { categories } from '@worlds/domain/registry'
import { readUuid } from '@worlds/domain/uuid'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { BulkRequest__Output } from '@worlds/proto/generated/worlds/element/v1/BulkRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { uuidv7 } from 'uuidv7'
import type { BadItem, BulkItem } from '../domain/intent'
import { onceByKey } from './once-by-key'
import { actorOf, reply } from './reply'
import type { Scope } from './scope'

/** Items of one call (L232). */
const itemsLimit = 1000

export const bulk =
  (scope: Scope) =>
  (request: BulkRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const json = readJson(request.body)
      const call = { principal, key: request.idempotency_key, route: 'POST bulk', json }
      return onceByKey(scope, call, async (receipt) => {
        const intent = { kind: 'bulk', ...readBatch(json, scope.config.extensionPrefixes) } as const
        return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt })
      })
    })

/** A malformed request is refused whole; a bad item is its own slot's failure (A39). */
function readBatch(json: JsonInput, prefixes: readonly string[]) {
  const { value } = json
  if (!isObject(value)) throw new RefusalError(invalid(null, 'The body is {items, atomic}.'))
  for (const name of Object.keys(value)) {
    if (name !== 'items' && name !== 'atomic') throw new RefusalError(unknownField(name))
  }
  const { items, atomic = false } = value
  if (!Array.isArray(items)) throw new RefusalError(invalid('items', 'items is a list.'))
  if (items.length > itemsLimit) throw new RefusalError(invalid('items', `items holds more than ${itemsLimit}.`))
  if (typeof atomic !== 'boolean') throw new RefusalError(invalid('atomic', 'atomic is true or false.'))

  let raw: readonly string[] | undefined
  const textOf = (index: number) => {
    raw ??= scanItems(scanMembers(json.text).get('items') ?? '[]')
    return scanMembers(raw[index] ?? '{}').get('element') ?? '{}'
  }
  return { atomic, items: items.map((item, index) => readItem(item, () => textOf(index), prefixes)) }
}

function readItem(item: unknown, text: () => string, prefixes: readonly string[]): BulkItem | BadItem {
  if (!isObject(item)) return bad(null, invalid(null, 'An item is {type, element}.'))
  const sentId = isObject(item.element) ? readUuid(item.element.id) : null
  for (const name of Object.keys(item)) {
    if (name !== 'type' && name !== 'element' && name !== 'op') return bad(sentId, unknownField(name))
  }
  const category = typeof item.type === 'string' ? categories.get(item.type) : undefined
  if (category === undefined) {
    const name = typeof item.type === 'string' ? clip(JSON.stringify(item.type)) : 'without a name'
    return bad(sentId, invalid('type', `There is no category ${name}.`))
  }
  if (!isObject(item.element)) return bad(null, invalid('element', 'element is a JSON object.'))
  try {
    const rules = { requireName: true, readId: true, extensionPrefixes: prefixes }
    const input = readElementInput(category, item.element, text, rules)
    return { category, id: input.id ?? uuidv7(), input }
  } catch (error) {
    if (error instanceof RefusalError) return bad(sentId, error.refusal)
    throw error
  }
}

function bad(id: string | null, refusal: Refusal): BadItem {
  return { id, refusal }
}
