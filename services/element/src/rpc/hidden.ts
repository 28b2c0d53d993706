import { invalid, notCoBuilder, type Refusal, RefusalError, unknownField } from '@worlds/domain/errors'
import { isObject, readJson } from '@worlds/domain/json-input'
import { malformedId, readUuid } from '@worlds/domain/uuid'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { RosterRequest__Output } from '@worlds/proto/generated/worlds/element/v1/RosterRequest'
import type { SetHiddenRequest__Output } from '@worlds/proto/generated/worlds/element/v1/SetHiddenRequest'
import { fromWire, principalOf } from '@worlds/runtime/refusals'
import { refused } from '../domain/intent'
import { listMarks } from '../store/list-marks'
import { readAs } from './read-as'
import { actorOf, isCurrent, reply } from './reply'
import { categoryOf, type Scope } from './scope'

export const setHidden =
  (scope: Scope) =>
  (request: SetHiddenRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const category = categoryOf(request.type)
      const id = readUuid(request.id)
      // What the gateway has found wrong before it asked.
      const sent = request.fault === null ? null : fromWire(request.fault)
      const fault = sent ?? (id === null ? malformedId() : bodyFault(request.body))
      const intent = { kind: request.hidden ? 'hide' : 'unhide', category, id: id ?? '', fault } as const
      return scope.submit(principal.world_id, { actor: actorOf(principal), intent, receipt: null })
    })

export const listHidden =
  (scope: Scope) =>
  (request: RosterRequest__Output): Promise<Reply> =>
    reply(async () => {
      const principal = principalOf(request)
      const found = await readAs(scope, principal, '', async (reader) => ({
        ...(await listMarks(scope.database, principal.world_id, reader)),
        reader,
      }))
      if (!isCurrent(principal, found)) return { kind: 'ask-again' }
      if (found.reader.member !== null && found.reader.member.role !== 'co_builder') return refused(notCoBuilder())
      return { kind: 'body', status: 200, body: `{"data":[${found.marks.join()}]}` }
    })

/** What is wrong with a body that is neither nothing nor `{"fields": []}`: single fields cannot be hidden (L313). */
function bodyFault(body: Buffer): Refusal | null {
  try {
    checkBody(body)
    return null
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal
    throw error
  }
}

function checkBody(body: Buffer): void {
  if (body.length === 0) return
  const { value } = readJson(body)
  if (!isObject(value)) throw new RefusalError(invalid(null, 'The body is empty or {"fields": []}.'))
  for (const [name, sent] of Object.entries(value)) {
    if (name !== 'fields') throw new RefusalError(unknownField(name))
    if (!Array.isArray(sent) || sent.length > 0) throw new RefusalError(invalid('fields', 'fields is an empty list.'))
  }
}
