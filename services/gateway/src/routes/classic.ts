/**
 * The classic dialect: other shapes over the same calls (L384 to L404; A79 to A85, D18, D19). Rules that it does not
 * state are those of the current dialect; Idempotency-Key, If-Match and query parameters that it does not know mean
 * nothing to it.
 */
import { noSuch, ownerOnly, RefusalError } from '@worlds/domain/errors'
import { categories } from '@worlds/domain/registry'
import { typingOf } from '@worlds/domain/typing'
import { malformedId, readUuid } from '@worlds/domain/uuid'
import { strayAs } from '../access/admit'
import { type Answer, json, refuse } from '../http/answer'
import { classic } from '../http/dialect'
import { classicListParams, listClassic } from './classic-list'
import { categoryOf } from './elements'
import { toAnswer } from './reply'
import type { Call, OpenRoute, WorldCall, WorldRoute } from './route'

const root = '/api/worldapi'
const matches = ({ type = '' }: Record<string, string>) => categories.has(type)

export const classicRoutes: readonly (WorldRoute | OpenRoute)[] = [
  { method: 'get', path: `${root}/world`, access: 'read', dialect: classic, handle: getWorld },
  { method: 'patch', path: `${root}/world`, access: 'write', dialect: classic, handle: patchWorld },
  {
    method: 'get',
    path: `${root}/typing/:name`,
    access: 'open',
    dialect: classic,
    onlyParams: ['as'],
    handle: getTyping,
  },
  {
    ...{ method: 'get', path: `${root}/:type`, access: 'read', dialect: classic, matches },
    ...{ onlyParams: classicListParams, handle: listClassic },
  },
  { method: 'post', path: `${root}/:type`, access: 'write', dialect: classic, matches, handle: create },
  { method: 'get', path: `${root}/:type/:id`, access: 'read', dialect: classic, matches, handle: get },
  { method: 'put', path: `${root}/:type/:id`, access: 'write', dialect: classic, matches, handle: put },
  { method: 'patch', path: `${root}/:type/:id`, access: 'write', dialect: classic, matches, handle: patch },
  { method: 'delete', path: `${root}/:type/:id`, access: 'write', dialect: classic, matches, handle: remove },
]

/** Where a single element's path without its slash is sent to (A85); null for every other path. */
export function withSlash(path: string, search: string): string | null {
  const [, type = '', id = ''] = /^\/api\/worldapi\/([a-z]+)\/([^/]+)$/.exec(path) ?? []
  return categories.has(type) && id !== '' ? `${root}/${type}/${id}/${search}` : null
}

async function getWorld({ clients, principal, header }: WorldCall): Promise<Answer> {
  return toAnswer(await clients.getWorld({ principal, if_none_match: header('if-none-match') ?? '' }))
}

async function patchWorld({ clients, principal, body }: WorldCall): Promise<Answer> {
  // Who may not is told so before the request is looked at.
  if (principal.membership !== '') throw new RefusalError(ownerOnly())
  return toAnswer(await clients.patchWorld({ principal, body: await body() }))
}

async function create(call: WorldCall): Promise<Answer> {
  const { clients, principal } = call
  const type = categoryOf(call).slug
  const body = await call.body()
  return toAnswer(await clients.createElement({ principal, type, body, idempotency_key: '', classic: true }))
}

async function get(call: WorldCall): Promise<Answer> {
  return toAnswer(await call.clients.getElement({ ...elementOf(call), classic: true }))
}

async function put(call: WorldCall): Promise<Answer> {
  const element = elementOf(call)
  const body = await call.body()
  return toAnswer(await call.clients.putElement({ ...element, body, classic: true }))
}

async function patch(call: WorldCall): Promise<Answer> {
  const element = elementOf(call)
  const body = await call.body()
  return toAnswer(await call.clients.patchElement({ ...element, body, if_match: '', classic: true }))
}

async function remove(call: WorldCall): Promise<Answer> {
  return toAnswer(await call.clients.deleteElement(elementOf(call)))
}

function elementOf(call: WorldCall) {
  const id = readUuid(call.params.id)
  if (id === null) throw new RefusalError({ ...malformedId(), where: 'path' })
  return { principal: call.principal, type: categoryOf(call).slug, id }
}

/** Categories are capitalized here. */
async function getTyping({ params: { name = '' }, query }: Call): Promise<Answer> {
  if (query.has('as')) throw new RefusalError(strayAs())
  const slug = name.toLowerCase()
  const isKnown = categories.has(slug) && name === `${slug.slice(0, 1).toUpperCase()}${slug.slice(1)}`
  return isKnown ? json(200, { supertypes: Object.fromEntries(typingOf(slug)) }) : refuse(noSuch('category'))
}
