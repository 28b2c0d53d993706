/** The ways into a world, each as far as it goes: the same acts, and what came of them. */
import { classicName } from '@worlds/domain/classic'
import { type ErrorCode, statusOf } from '@worlds/domain/errors'
import type { Api, ApiReply } from '@worlds/testkit/api'
import { type Body, categoryOf } from './support'

/** What came of an act: the status, and the code where the door tells codes. */
export interface Outcome {
  readonly status: number
  readonly code: string | null
  /** Of the element that was made, read or changed. */
  readonly id: string | null
  /** Ids of a list. */
  readonly ids: readonly string[]
}

export interface Door {
  readonly name: string
  /** Whether a refusal tells its code; else its status alone. */
  readonly tellsCodes: boolean
  create(by: Api, type: string, fields: Body): Promise<Outcome>
  replace?(by: Api, type: string, id: string, fields: Body): Promise<Outcome>
  patch?(by: Api, type: string, id: string, fields: Body): Promise<Outcome>
  delete?(by: Api, type: string, id: string): Promise<Outcome>
  read?(by: Api, type: string, id: string): Promise<Outcome>
  list?(by: Api, type: string): Promise<Outcome>
  /** The text itself as a creation's body. */
  raw(by: Api, type: string, text: string): Promise<Outcome>
}

function outcome({ status, body }: ApiReply): Outcome {
  const rows: Body[] = Array.isArray(body) ? body : (body?.data ?? [])
  return { status, code: body?.error?.code ?? null, id: body?.id ?? null, ids: rows.map(({ id }) => id) }
}

export const current: Door = {
  name: 'the current dialect',
  tellsCodes: true,
  create: async (by, type, fields) => outcome(await by.post(`/api/v2/${type}`, fields)),
  replace: async (by, type, id, fields) => outcome(await by.put(`/api/v2/${type}/${id}`, fields)),
  patch: async (by, type, id, fields) => outcome(await by.patch(`/api/v2/${type}/${id}`, fields)),
  delete: async (by, type, id) => outcome(await by.delete(`/api/v2/${type}/${id}`)),
  read: async (by, type, id) => outcome(await by.get(`/api/v2/${type}/${id}`)),
  list: async (by, type) => outcome(await by.get(`/api/v2/${type}`)),
  raw: async (by, type, text) => outcome(await by.post(`/api/v2/${type}`, text)),
}

const root = '/api/worldapi'

function toClassic(type: string, fields: Body): Body {
  const { writable } = categoryOf(type)
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const field = writable.get(name)
      return [field === undefined ? name : classicName(field), value]
    }),
  )
}

const classic: Door = {
  name: 'the classic dialect',
  tellsCodes: false,
  create: async (by, type, fields) => told(await by.post(`${root}/${type}/`, toClassic(type, fields))),
  replace: async (by, type, id, fields) => told(await by.put(`${root}/${type}/${id}/`, toClassic(type, fields))),
  patch: async (by, type, id, fields) => told(await by.patch(`${root}/${type}/${id}/`, toClassic(type, fields))),
  delete: async (by, type, id) => told(await by.delete(`${root}/${type}/${id}/`)),
  read: async (by, type, id) => told(await by.get(`${root}/${type}/${id}/`)),
  list: async (by, type) => told(await by.get(`${root}/${type}/`)),
  raw: async (by, type, text) => told(await by.post(`${root}/${type}/`, text)),
}

function told(reply: ApiReply): Outcome {
  return { ...outcome(reply), code: null }
}

const bulk: Door = {
  name: 'bulk',
  tellsCodes: true,
  create: (by, type, fields) => apply(by, { items: [{ type, element: fields }] }),
  replace: (by, type, id, fields) => apply(by, { items: [{ type, element: { ...fields, id } }] }),
  raw: (by, type, text) => apply(by, `{"items":[{"type":"${type}","element":${text}}]}`),
}

/** A request that is refused whole, or its one item's own outcome. */
async function apply(by: Api, body: unknown): Promise<Outcome> {
  const reply = await by.post('/api/v2/bulk', body)
  const [slot] = reply.body?.items ?? []
  return slot === undefined
    ? outcome(reply)
    : { status: slot.status, code: slot.error?.code ?? null, id: slot.id ?? null, ids: [] }
}

const tools: Door = {
  name: 'the tools',
  tellsCodes: true,
  create: (by, type, element) => call(by, 201, 'create_element', { type, element }),
  patch: (by, type, id, element) => call(by, 200, 'update_element', { type, id, element }),
  read: (by, type, id) => call(by, 200, 'get_element', { type, id }),
  list: (by, type) => call(by, 200, 'list_elements', { type }),
  raw: (by, type, text) =>
    send(
      by,
      201,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_element","arguments":{"type":"${type}","element":${text}}}}`,
    ),
}

function call(by: Api, well: number, name: string, args: Body): Promise<Outcome> {
  return send(
    by,
    well,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  )
}

/** A tool has no statuses: a refusal has that of its code, a good result the one that the act has elsewhere. */
async function send(by: Api, well: number, text: string): Promise<Outcome> {
  const reply = await by.post('/mcp', text, { Accept: 'application/json, text/event-stream' })
  const content = reply.body?.result?.structuredContent
  if (content === undefined) return outcome(reply)
  const code = (content.error?.code ?? null) as ErrorCode | null
  return outcome({ ...reply, status: code === null ? well : statusOf(code), body: content })
}

export const doors: readonly Door[] = [current, classic, bulk, tools]
