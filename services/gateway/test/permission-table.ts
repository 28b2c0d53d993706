/**
 * What each role is answered by each route, in one table: the tests run it, and docs/permissions.md is
 * rendered from it. A read key is answered what its holder's role is, and refused every write.
 */
import { randomUUID } from 'node:crypto'
import type { Role } from '@worlds/domain/view'
import type { Api, ApiReply } from '@worlds/testkit/api'
import type { Body } from './support'

/** What an element is to who calls. Owner and co-builders find every element in view. */
export const targets = ['own', 'own, hidden', 'another’s', 'another’s, hidden', 'out of view', 'absent'] as const

export type Target = (typeof targets)[number]

/** As `200` or `403 not_author`, in the order of `targets`. */
type Answers = readonly [string, string, string, string, string, string]

type ByRole<T> = Readonly<Record<Role, T>>

/** A call on an element. */
export interface ElementRow {
  readonly route: string
  readonly write: boolean
  /** The element has a file that somebody else has added. */
  readonly hasFile?: boolean
  /** `carrier` is a narrative of the caller's, for links; or the element's file. */
  call(by: Api, id: string, carrier: string): Promise<ApiReply>
  /** What is told of a success; its status when left out. */
  told?(reply: ApiReply, id: string): string
  readonly answers: ByRole<Answers>
}

/** A call on the world itself, or on none of its elements in particular. */
export interface WorldRow {
  readonly route: string
  readonly write: boolean
  /** `newImage` uploads one as somebody else, and answers its key. */
  call(by: Api, newImage: () => Promise<string>): Promise<ApiReply>
  readonly answers: ByRole<string>
}

export const path = (id: string) => `/api/v2/narrative/${id}`
const bulkOf = (element: Body): Body => ({ items: [{ type: 'narrative', element }] })

/** The answers to who sees everything, to a contributor, to a guest. */
const roles = (full: Answers, contributor: Answers, guest: Answers): ByRole<Answers> => ({
  owner: full,
  co_builder: full,
  contributor,
  guest,
})
const all = <T>(one: T): ByRole<T> => ({ owner: one, co_builder: one, contributor: one, guest: one })
const six = (one: string): Answers => [one, one, one, one, one, one]

export const none = '404 not_found'
const author = '403 not_author'
const taken = '409 id_conflict'
export const refused = '403 permission_error'
const unlinked = '400 invalid_link'
const nothing = '204, nothing deleted'

export const readAnswers = (seen: string, unseen: string) =>
  roles(
    [seen, seen, seen, seen, seen, unseen],
    [seen, seen, seen, unseen, seen, unseen],
    [seen, seen, seen, unseen, unseen, unseen],
  )

/** `made` is what an absent id is answered. */
export const changeAnswers = (done: string, made: string) =>
  roles(
    [done, done, done, done, done, made],
    [done, done, author, none, author, made],
    [done, done, author, none, none, made],
  )

export const reading: readonly ElementRow[] = [
  {
    route: 'GET /api/v2/{type}/{id}',
    write: false,
    call: (by, id) => by.get(path(id)),
    answers: readAnswers('200', none),
  },
  {
    route: 'GET /api/v2/{type}',
    write: false,
    call: (by) => by.get('/api/v2/narrative?limit=1000'),
    told: ({ body: { data, has_more } }, id) => {
      if (data.some((one: Body) => one.id === id)) return 'listed'
      return has_more ? 'a page of more' : 'left out'
    },
    answers: readAnswers('listed', 'left out'),
  },
  {
    route: 'GET /api/v2/changes',
    write: false,
    call: (by) => by.get('/api/v2/changes?limit=1000'),
    told: ({ body: { changes, has_more } }, id) => {
      if (changes.some((one: Body) => one.id === id && one.op === 'upsert')) return 'told'
      return has_more ? 'a page of more' : 'left out'
    },
    answers: readAnswers('told', 'left out'),
  },
]

export const making: readonly ElementRow[] = [
  {
    route: 'POST /api/v2/{type} with an `id`',
    write: true,
    call: (by, id) => by.post('/api/v2/narrative', { id, name: 'x' }),
    answers: roles(
      [taken, taken, taken, taken, taken, '201'],
      [taken, taken, taken, none, taken, '201'],
      [taken, taken, taken, none, none, '201'],
    ),
  },
  {
    route: 'PUT /api/v2/{type}/{id}',
    write: true,
    call: (by, id) => by.put(path(id), { name: 'x' }),
    answers: changeAnswers('200', '201'),
  },
  {
    route: 'POST /api/v2/bulk, an item’s slot',
    write: true,
    call: (by, id) => by.post('/api/v2/bulk', bulkOf({ id, name: 'x' })),
    told: ({ body: { items } }) => outcomeOf({ status: items[0].status, body: items[0] }),
    answers: changeAnswers('200', '201'),
  },
]

export const changing: readonly ElementRow[] = [
  {
    route: 'PATCH /api/v2/{type}/{id}',
    write: true,
    call: (by, id) => by.patch(path(id), { name: 'x' }),
    answers: changeAnswers('200', none),
  },
  {
    route: 'POST /api/v2/{type}/{id}/links/{field}',
    write: true,
    call: (by, id) => by.post(`${path(id)}/links/events`, { add: [] }),
    answers: changeAnswers('200', none),
  },
  {
    route: 'DELETE /api/v2/{type}/{id}',
    write: true,
    call: (by, id) => by.delete(path(id)),
    answers: roles(
      ['204', '204', '204', '204', '204', nothing],
      ['204', '204', author, nothing, author, nothing],
      ['204', '204', author, nothing, nothing, nothing],
    ),
  },
  {
    route: 'Any write that links to it',
    write: true,
    call: (by, id, carrier) => by.patch(path(carrier), { parent_narrative: id }),
    answers: readAnswers('200', unlinked),
  },
]

const hideAnswers = roles(['204', '204', '204', '204', '204', none], six(refused), six(refused))

export const hiding: readonly ElementRow[] = [
  {
    route: 'PUT /api/v2/{type}/{id}/hidden',
    write: true,
    call: (by, id) => by.put(`${path(id)}/hidden`),
    answers: hideAnswers,
  },
  {
    route: 'DELETE /api/v2/{type}/{id}/hidden',
    write: true,
    call: (by, id) => by.delete(`${path(id)}/hidden`),
    answers: hideAnswers,
  },
  {
    route: 'GET /api/v2/{type}/{id}?as=public',
    write: false,
    call: (by, id) => by.get(`${path(id)}?as=public`),
    answers: { ...all(six('403 view_as_owner_only')), owner: ['200', none, '200', none, '200', none] },
  },
]

const noGuests = { ...all('200'), guest: '403 guest_not_supported' }

export const worldRows: readonly WorldRow[] = [
  { route: 'GET /api/v2/world', write: false, call: (by) => by.get('/api/v2/world'), answers: all('200') },
  {
    route: 'PATCH /api/v2/world',
    write: true,
    call: (by) => by.patch('/api/v2/world', { description: 'x' }),
    answers: { ...all('403 owner_only'), owner: '200' },
  },
  {
    route: 'GET /api/v2/world/hidden',
    write: false,
    call: (by) => by.get('/api/v2/world/hidden'),
    answers: { ...all('200'), contributor: refused, guest: refused },
  },
  { route: 'GET /api/v2/members', write: false, call: (by) => by.get('/api/v2/members'), answers: all('200') },
  { route: 'GET /api/v2/me', write: false, call: (by) => by.get('/api/v2/me'), answers: all('200') },
  { route: 'GET /api/v2/changes', write: false, call: (by) => by.get('/api/v2/changes?limit=1'), answers: all('200') },
  { route: 'GET /api/v2/{type}', write: false, call: (by) => by.get('/api/v2/event'), answers: all('200') },
  {
    route: 'GET /api/v2/{type}?as=public',
    write: false,
    call: (by) => by.get('/api/v2/event?as=public'),
    answers: { ...all('403 view_as_owner_only'), owner: '200' },
  },
  {
    route: 'POST /api/v2/{type}',
    write: true,
    call: (by) => by.post('/api/v2/event', { name: 'x' }),
    answers: all('201'),
  },
  {
    route: 'POST /api/v2/bulk',
    write: true,
    call: (by) => by.post('/api/v2/bulk', { items: [{ type: 'event', element: { id: randomUUID(), name: 'x' } }] }),
    answers: all('200'),
  },
  {
    route: 'GET /api/v2/world/files',
    write: false,
    call: (by) => by.get('/api/v2/world/files'),
    answers: all('200'),
  },
  {
    route: 'POST /api/v2/media/ticket',
    write: true,
    call: (by) => by.post('/api/v2/media/ticket'),
    answers: all('201'),
  },
  {
    route: 'POST /api/v2/media/remove-ticket, another’s image',
    write: true,
    call: async (by, newImage) => by.post('/api/v2/media/remove-ticket', { key: await newImage() }),
    answers: { ...all(refused), owner: '200' },
  },
  {
    route: 'GET /api/v2/world/sharing',
    write: false,
    call: (by) => by.get('/api/v2/world/sharing'),
    answers: noGuests,
  },
  {
    route: 'GET /api/v2/tokens/status',
    write: false,
    call: (by) => by.get('/api/v2/tokens/status'),
    answers: noGuests,
  },
  {
    route: 'POST /api/v2/tokens/consume',
    write: true,
    call: (by) => by.post('/api/v2/tokens/consume', { amount: 1 }),
    answers: noGuests,
  },
]

/** What a caller of this role is answered. */
export function answerTo<T extends ElementRow | WorldRow>(row: T, role: Role, reads: boolean): T['answers'][Role] {
  if (!row.write || !reads) return row.answers[role]
  return typeof row.answers[role] === 'string' ? refused : six(refused)
}

export function outcomeOf({ status, body }: Pick<ApiReply, 'status' | 'body'>): string {
  return body?.error === undefined || body.error === null ? `${status}` : `${status} ${body.error.code}`
}
