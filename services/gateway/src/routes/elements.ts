import { encodeListCursor } from '@worlds/domain/cursor'
import { invalid, RefusalError, viewAsOwnerOnly } from '@worlds/domain/errors'
import { readIdempotencyKey, readIfMatch } from '@worlds/domain/headers'
import { readListQuery, readPresentation, refuseUnknown } from '@worlds/domain/query'
import { type Category, categories } from '@worlds/domain/registry'
import { malformedId, readUuid } from '@worlds/domain/uuid'
import { fromWire, toWire } from '@worlds/runtime/refusals'
import { type Answer, refuse } from '../http/answer'
import { pageAnswer } from './page'
import { toAnswer } from './reply'
import type { Call, WorldCall, WorldRoute } from './route'

const path = '/api/v2/:type'
const matches = ({ type = '' }: Record<string, string>) => categories.has(type)

/** Of a single element. */
export const elementParams = ['expand', 'fields', 'as'] as const

export const elementRoutes: readonly WorldRoute[] = [
  { method: 'get', path, access: 'read', takesAs: true, matches, handle: listElements },
  { method: 'post', path, access: 'write', matches, handle: createElement },
  { method: 'get', path: `${path}/:id`, access: 'read', takesAs: true, matches, handle: getElement },
  { method: 'put', path: `${path}/:id`, access: 'write', matches, handle: putElement },
  { method: 'patch', path: `${path}/:id`, access: 'write', matches, handle: patchElement },
  { method: 'delete', path: `${path}/:id`, access: 'write', matches, handle: deleteElement },
  { method: 'put', path: `${path}/:id/hidden`, access: 'write', matches, handle: (call) => setHidden(call, true) },
  { method: 'delete', path: `${path}/:id/hidden`, access: 'write', matches, handle: (call) => setHidden(call, false) },
  { method: 'post', path: `${path}/:id/links/:field`, access: 'write', matches, handle: editLinks },
]

async function listElements(call: WorldCall): Promise<Answer> {
  const { clients, principal, query, departure, pageBytes } = call
  const as = asOf(call)
  const category = categoryOf(call)
  const list = readListQuery(category, principal.world_id, query, call.extensionPrefixes)
  const { limit, after, expand } = list
  const filters = list.filters.map(([name, value]) => ({ name, value }))
  const wanted = { type: category.slug, limit, after, filters, page_bytes: pageBytes }
  const shown = { expand: [...expand], ...fieldsOf(list) }
  const reply = await clients.listElements({ principal, ...wanted, ...shown, as }, departure.signal)
  const { refusal, page } = reply.first
  if (refusal) return refuse(fromWire(refusal))
  if (!page) return { kind: 'ask-again' }
  const { has_more, last, bytes } = page
  const next = has_more ? `"${encodeListCursor(list.scope, last)}"` : 'null'
  const frame = ['{"data":[', `],"has_more":${has_more},"next_cursor":${next}}`] as const
  return pageAnswer(reply, ({ bodies }) => bodies, bytes, frame)
}

async function getElement(call: WorldCall): Promise<Answer> {
  const as = asOf(call)
  const category = categoryOf(call)
  const id = idOf(call)
  refuseUnknown(call.query, elementParams)
  const presentation = readPresentation(category, call.query, call.extensionPrefixes)
  const expand = [...presentation.expand]
  const request = {
    principal: call.principal,
    type: category.slug,
    id,
    expand,
    ...fieldsOf(presentation),
    as,
  }
  return toAnswer(await call.clients.getElement(request))
}

async function createElement(call: WorldCall): Promise<Answer> {
  const type = categoryOf(call).slug
  refuseUnknown(call.query, [])
  const idempotency_key = idempotencyKeyOf(call)
  const body = await call.body()
  return toAnswer(await call.clients.createElement({ principal: call.principal, type, body, idempotency_key }))
}

async function putElement(call: WorldCall): Promise<Answer> {
  const type = categoryOf(call).slug
  const id = idOf(call)
  refuseUnknown(call.query, [])
  const body = await call.body()
  return toAnswer(await call.clients.putElement({ principal: call.principal, type, id, body, if_match: '' }))
}

async function patchElement(call: WorldCall): Promise<Answer> {
  const type = categoryOf(call).slug
  const id = idOf(call)
  refuseUnknown(call.query, [])
  const if_match = readIfMatch(call.header('if-match'))
  const body = await call.body()
  return toAnswer(await call.clients.patchElement({ principal: call.principal, type, id, body, if_match }))
}

async function deleteElement(call: WorldCall): Promise<Answer> {
  const type = categoryOf(call).slug
  const id = idOf(call)
  refuseUnknown(call.query, [])
  return toAnswer(await call.clients.deleteElement({ principal: call.principal, type, id }))
}

async function editLinks(call: WorldCall): Promise<Answer> {
  const category = categoryOf(call)
  const id = idOf(call)
  const { field = '' } = call.params
  refuseUnknown(call.query, [])
  if (category.links.get(field)?.kind !== 'multi_link') {
    throw new RefusalError(invalid(field.slice(0, 80), `${category.slug} has no multi link of this name.`))
  }
  const if_match = readIfMatch(call.header('if-match'))
  const body = await call.body()
  const request = { principal: call.principal, type: category.slug, id, field, body, if_match }
  return toAnswer(await call.clients.editLinks(request))
}

async function setHidden(call: WorldCall, hidden: boolean): Promise<Answer> {
  const type = categoryOf(call).slug
  const { body, fault } = await readHide(call)
  const request = { principal: call.principal, type, id: call.params.id ?? '', body, hidden, fault }
  return toAnswer(await call.clients.setHidden(request))
}

/** What is wrong with the request goes along: who may not hide is told that before (A43). */
async function readHide(call: WorldCall) {
  try {
    refuseUnknown(call.query, [])
    return { body: await call.body(), fault: null }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    return { body: Buffer.alloc(0), fault: toWire(error.refusal) }
  }
}

export function categoryOf({ params }: Call): Category {
  const category = categories.get(params.type ?? '')
  if (category === undefined) throw new Error('the route matched a category that does not exist')
  return category
}

export function idOf({ params }: Call): string {
  const id = readUuid(params.id)
  if (id === null) throw new RefusalError(malformedId())
  return id
}

/** Whose eyes to read with; empty for one's own. That only the owner may is told before all else (A62). */
export function asOf({ query, principal }: WorldCall): string {
  const as = query.get('as')
  if (as !== undefined && principal.membership !== '') throw new RefusalError(viewAsOwnerOnly())
  if (as === '') throw new RefusalError(invalid('as', 'as takes a membership, a Character or public.'))
  return as ?? ''
}

function fieldsOf({ fields }: { fields: readonly string[] | null }) {
  return { fields: fields === null ? [] : [...fields], has_fields: fields !== null }
}

export function idempotencyKeyOf(call: Call): string {
  if (call.headerCount('idempotency-key') > 1) {
    throw new RefusalError(invalid('Idempotency-Key', 'Idempotency-Key is sent twice.'))
  }
  return readIdempotencyKey(call.header('idempotency-key'))
}
