import { type Category, categories } from '@worlds/domain/registry'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import type { System } from '@worlds/testkit/system'
import { newWorld, type World } from '@worlds/testkit/world'

export type Body = ApiReply['body']

/** A world of its own with requests by its owner's write key and PIN. */
export interface Owner extends World, Api {
  /** Creates an element and returns its body. */
  make(type: string, fields?: Record<string, unknown>): Promise<Body>
  /** Creates many by one bulk and returns their ids in order. */
  seed(type: string, elements: readonly Record<string, unknown>[]): Promise<string[]>
  /** An element's body as it reads now. */
  read(type: string, id: string): Promise<Body>
  /** The world's change sequence. */
  head(): Promise<number>
}

export async function newOwner(system: System): Promise<Owner> {
  const world = await newWorld(system)
  const own = api(system.gateway, world.headers)
  return {
    ...world,
    ...own,
    make: async (type, fields = {}) =>
      expectBody(await own.post(`/api/v2/${type}`, { name: 'Someone', ...fields }), 201),
    seed: async (type, elements) => {
      const reply = await own.post('/api/v2/bulk', { items: elements.map((element) => ({ type, element })) })
      expect(expectBody(reply, 200).errors).toBe(false)
      return reply.body.items.map(({ id }: Body) => id)
    },
    read: async (type, id) => expectBody(await own.get(`/api/v2/${type}/${id}`), 200),
    head: async () => expectBody(await own.get('/api/v2/changes?head=true'), 200).head,
  }
}

/** Requests by a read key that the owner's account minted. */
export async function newReader(system: System, { world, token }: World): Promise<Api> {
  const account = api(system.gateway, { Authorization: `Bearer ${token}` })
  const reply = await account.post(`/api/v2/account/worlds/${world}/keys`, { scope: 'read' })
  return api(system.gateway, { 'API-Key': expectBody(reply, 201).key })
}

export function expectBody(reply: ApiReply, status: number): Body {
  if (reply.status !== status) throw new Error(`${status} expected, not ${reply.status} ${reply.text}`)
  return reply.body
}

const families: Record<string, string> = {
  invalid_credentials: 'authentication_error',
  permission_error: 'permission_error',
  not_found: 'not_found',
  idempotency_error: 'idempotency_error',
  not_author: 'permission_error',
  files_full: 'permission_error',
  storage_full: 'permission_error',
  quota_exceeded: 'rate_limited',
  rate_limited: 'rate_limited',
  server_busy: 'api_error',
  media_unavailable: 'api_error',
}

export function categoryOf(slug: string): Category {
  const found = categories.get(slug)
  if (found === undefined) throw new Error(`no category ${slug}`)
  return found
}

const emptyValues = { text: '', integer: null, single_link: null, multi_link: [], generic_type: '', generic_id: null }

/** A category's own fields as they read when nothing was written. */
export function emptyFields(slug: string): Body {
  return Object.fromEntries(categoryOf(slug).fields.map(({ name, kind }) => [name, emptyValues[kind]]))
}

/** A value for every field of a category; `targets` has an element of each category that they link to. */
export function filledFields(slug: string, targets: ReadonlyMap<string, string>): Body {
  const values = categoryOf(slug).fields.map(({ name, kind, target }) => {
    if (kind === 'integer') return [name, 7]
    if (kind === 'single_link') return [name, targets.get(target ?? '')]
    if (kind === 'multi_link') return [name, [targets.get(target ?? '')]]
    if (kind === 'generic_type') return [name, 'location']
    if (kind === 'generic_id') return [name, targets.get('location')]
    return [name, `The ${name}`]
  })
  return Object.fromEntries(values)
}

/** A string or null. */
const anyParam = { asymmetricMatch: (value: unknown) => value === null || typeof value === 'string' }

/** What a failure reads as, whole; `param` is looked at only when given. */
export function errorOf(code: string, param?: string | null): Body {
  return {
    type: families[code] ?? 'invalid_request',
    code,
    message: expect.stringMatching(/./),
    param: param === undefined ? anyParam : param,
    doc_url: expect.stringMatching(new RegExp(`^https?://.+#${code}$`)),
  }
}

/** Expects a refusal with the envelope and nothing beside it. */
export function expectRefusal({ status, body }: ApiReply, expected: number, code: string, param?: string | null): void {
  expect({ status, body }).toEqual({ status: expected, body: { error: errorOf(code, param) } })
}

/** Expects a write to be refused with the world left as it was. */
export async function expectNothingWritten(
  own: Owner,
  write: () => Promise<ApiReply>,
  status: number,
  code: string,
  param?: string | null,
): Promise<void> {
  const before = await own.get('/api/v2/changes')
  expectRefusal(await write(), status, code, param)
  expect((await own.get('/api/v2/changes')).body).toEqual(before.body)
}

/** Each way to write one element with a body; `id` names an element that exists, for PUT and PATCH. */
export const writes: readonly [
  method: string,
  write: (own: Api, type: string, id: string, body: Body) => Promise<ApiReply>,
][] = [
  ['POST', (own, type, _id, body) => own.post(`/api/v2/${type}`, body)],
  ['PUT', (own, type, id, body) => own.put(`/api/v2/${type}/${id}`, body)],
  ['PATCH', (own, type, id, body) => own.patch(`/api/v2/${type}/${id}`, body)],
]

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/
