import { invalid, ownerOnly, RefusalError } from '@worlds/domain/errors'
import { readLimit, refuseUnknown } from '@worlds/domain/query'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, refuse } from '../http/answer'
import { idempotencyKeyOf } from './elements'
import { pageAnswer } from './page'
import { toAnswer } from './reply'
import type { WorldCall, WorldRoute } from './route'

export const changesParams = ['since', 'limit', 'head'] as const

/** Routes with names of their own; they stand before those of the categories. */
export const worldRoutes: readonly WorldRoute[] = [
  { method: 'get', path: '/api/v2/world', access: 'read', handle: getWorld },
  { method: 'patch', path: '/api/v2/world', access: 'write', handle: patchWorld },
  { method: 'get', path: '/api/v2/world/hidden', access: 'read', handle: listHidden },
  { method: 'get', path: '/api/v2/me', access: 'roster', handle: getMe },
  { method: 'get', path: '/api/v2/members', access: 'roster', handle: listMembers },
  { method: 'get', path: '/api/v2/changes', access: 'read', handle: getChanges },
  { method: 'post', path: '/api/v2/bulk', access: 'write', handle: bulk },
]

async function getWorld({ clients, principal, query, header }: WorldCall): Promise<Answer> {
  refuseUnknown(query, [])
  return toAnswer(await clients.getWorld({ principal, if_none_match: header('if-none-match') ?? '' }))
}

async function patchWorld({ clients, principal, query, body }: WorldCall): Promise<Answer> {
  // Who may not is told so before the request is looked at.
  if (principal.membership !== '') throw new RefusalError(ownerOnly())
  refuseUnknown(query, [])
  return toAnswer(await clients.patchWorld({ principal, body: await body() }))
}

async function listHidden({ clients, principal, query }: WorldCall): Promise<Answer> {
  const answer = toAnswer(await clients.listHidden({ principal }))
  if (answer.kind === 'reply') refuseUnknown(query, [])
  return answer.kind === 'reply' ? { ...answer, headers: { 'cache-control': 'no-store' } } : answer
}

async function getMe({ clients, principal, query }: WorldCall): Promise<Answer> {
  refuseUnknown(query, [])
  return toAnswer(await clients.getMe({ principal }))
}

async function listMembers({ clients, principal, query }: WorldCall): Promise<Answer> {
  refuseUnknown(query, [])
  return toAnswer(await clients.listMembers({ principal }))
}

async function bulk(call: WorldCall): Promise<Answer> {
  refuseUnknown(call.query, [])
  const idempotency_key = idempotencyKeyOf(call)
  const body = await call.body()
  return toAnswer(await call.clients.bulk({ principal: call.principal, body, idempotency_key }))
}

async function getChanges({ clients, principal, query, departure, pageBytes }: WorldCall): Promise<Answer> {
  refuseUnknown(query, changesParams)
  const head = readHead(query.get('head'))
  // The tip is asked for to start afresh: what else was sent is not even looked at (A12).
  const limit = head ? 1 : readLimit(query, 500)
  const since = query.get('since') ?? ''
  const reply = await clients.getChanges({ principal, since, limit, head, page_bytes: pageBytes }, departure.signal)
  const { refusal, page } = reply.first
  if (refusal) return refuse(fromWire(refusal))
  if (!page) return { kind: 'ask-again' }
  const { cursor, has_more, head: tip, epoch, epoch_reason, bytes } = page
  const facts = {
    cursor,
    has_more,
    head: tip,
    epoch: epoch === 0 ? null : epoch,
    epoch_reason: epoch_reason === '' ? null : epoch_reason,
  }
  const start = `${JSON.stringify(facts).slice(0, -1)},"changes":[`
  return pageAnswer(reply, ({ records }) => records, bytes, [start, ']}'])
}

function readHead(value: string | undefined): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false') {
    throw new RefusalError(invalid('head', 'head is true or false.'))
  }
  return value === 'true'
}
