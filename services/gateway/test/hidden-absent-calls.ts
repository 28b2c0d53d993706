/** Calls that name an element, each to be answered for a hidden one as for one that never was. */
import { randomUUID } from 'node:crypto'
import type { Api, ApiReply } from '@worlds/testkit/api'
import type { Body } from './support'

export interface Named {
  readonly type: 'character' | 'narrative'
  readonly id: string
  /** Of the element, when it is there. */
  readonly file: string
}

/** Elements of the reader's own that others are linked to from. */
export interface Mine {
  readonly narrative: string
  readonly construct: string
}

/** A construct's multi link and a narrative's single link to each category. */
const fields = {
  character: { multi: 'characters', single: 'protagonist' },
  narrative: { multi: 'narratives', single: 'parent_narrative' },
} as const

export const pathOf = ({ type, id }: Named) => `/api/v2/${type}/${id}`
const filesOf = (named: Named) => `${pathOf(named)}/files`
const linkOf = (named: Named) => `${filesOf(named)}/${named.file}/download`
const txt = { name: 'a.txt', kind: 'txt', size: 5 }
const item = (type: string, element: Body) => ({ items: [{ type, element }] })

export type Call = readonly [name: string, call: (by: Api, named: Named, mine: Mine) => Promise<ApiReply>]

export const reads: readonly Call[] = [
  ['GET', (by, named) => by.get(pathOf(named))],
  ['GET with a slash', (by, named) => by.get(`${pathOf(named)}/`)],
  ['GET in upper case', (by, { type, id }) => by.get(`/api/v2/${type}/${id.toUpperCase()}`)],
  ['GET with fields', (by, named) => by.get(`${pathOf(named)}?fields=name`)],
  [
    'GET with expand',
    (by, named) => by.get(`${pathOf(named)}?expand=${named.type === 'character' ? 'friends' : 'characters'}`),
  ],
  ['GET as another category', (by, { id }) => by.get(`/api/v2/event/${id}`)],
  ['a list of who names it', (by, { id }) => by.get(`/api/v2/narrative?characters=${id}`)],
  [
    'a list of who names it, expanded',
    (by, { id }) => by.get(`/api/v2/construct?characters=${id}&expand=characters,narratives&limit=1`),
  ],
  ['a list as it', (by, { id }) => by.get(`/api/v2/narrative?as=${id}`)],
  ['GET as it', (by, named) => by.get(`${pathOf(named)}?as=${named.id}`)],
  ['its files', (by, named) => by.get(filesOf(named))],
  ['its files with a slash', (by, named) => by.get(`${filesOf(named)}/`)],
  ['its files as another category', (by, { id }) => by.get(`/api/v2/event/${id}/files`)],
  ['its files as public', (by, named) => by.get(`${filesOf(named)}?as=public`)],
  ['its files by a parameter', (by, named) => by.get(`${filesOf(named)}?limit=1`)],
  ['a link to its file', (by, named) => by.get(linkOf(named))],
  ['a link to its file in upper case', (by, named) => by.get(linkOf({ ...named, file: named.file.toUpperCase() }))],
  ['a link to a file it has not', (by, named) => by.get(linkOf({ ...named, file: randomUUID() }))],
  ['a link to what is no file', (by, named) => by.get(linkOf({ ...named, file: 'nonsense' }))],
  [
    'a link to its file as another category’s',
    (by, { id, file }) => by.get(`/api/v2/event/${id}/files/${file}/download`),
  ],
]

/** On the element itself. PUT, POST and bulk, which make an element of an absent id, stand by themselves. */
export const writes: readonly Call[] = [
  ['PATCH', (by, named) => by.patch(pathOf(named), { name: 'x' })],
  ['PATCH of nothing', (by, named) => by.patch(pathOf(named), {})],
  ['PATCH with If-Match', (by, named) => by.patch(pathOf(named), { name: 'x' }, { 'If-Match': '1' })],
  ['PATCH with If-Match *', (by, named) => by.patch(pathOf(named), { name: 'x' }, { 'If-Match': '*' })],
  [
    'PATCH with a bad link',
    (by, named) => by.patch(pathOf(named), { [named.type === 'character' ? 'location' : 'narrator']: randomUUID() }),
  ],
  ['PATCH with a bad field', (by, named) => by.patch(pathOf(named), { nonsense: 1 })],
  ['PATCH as another category', (by, { id }) => by.patch(`/api/v2/event/${id}`, { name: 'x' })],
  ['PUT with a bad field', (by, named) => by.put(pathOf(named), { name: 'x', nonsense: 1 })],
  ['POST with a bad field', (by, { type, id }) => by.post(`/api/v2/${type}`, { id, name: 'x', nonsense: 1 })],
  ['links', (by, named) => by.post(`${pathOf(named)}/links/species`, { add: [] })],
  ['links with If-Match', (by, named) => by.post(`${pathOf(named)}/links/species`, { add: [] }, { 'If-Match': '1' })],
  ['links to what is not there', (by, named) => by.post(`${pathOf(named)}/links/species`, { add: [randomUUID()] })],
  ['links of no such field', (by, named) => by.post(`${pathOf(named)}/links/nonsense`, { add: [] })],
  ['DELETE', (by, named) => by.delete(pathOf(named))],
  ['DELETE as another category', (by, { id }) => by.delete(`/api/v2/event/${id}`)],
  ['a file’s ticket', (by, named) => by.post(filesOf(named), txt)],
  ['a file’s ticket with a bad body', (by, named) => by.post(filesOf(named), { ...txt, kind: 'exe' })],
  ['a file’s ticket for too much', (by, named) => by.post(filesOf(named), { ...txt, size: 26_214_401 })],
  ['a file’s ticket as another category', (by, { id }) => by.post(`/api/v2/event/${id}/files`, txt)],
  ['DELETE of its file', (by, named) => by.delete(`${filesOf(named)}/${named.file}`)],
  ['DELETE of a file it has not', (by, named) => by.delete(`${filesOf(named)}/${randomUUID()}`)],
  ['DELETE of what is no file', (by, named) => by.delete(`${filesOf(named)}/nonsense`)],
  ['hide', (by, named) => by.put(`${pathOf(named)}/hidden`)],
  ['unhide', (by, named) => by.delete(`${pathOf(named)}/hidden`)],
]

/** Naming the element in a write of another. */
export const links: readonly Call[] = [
  [
    'POST of a multi link',
    (by, { type, id }) => by.post('/api/v2/construct', { name: 'x', [fields[type].multi]: [id] }),
  ],
  [
    'POST of a single link',
    (by, { type, id }) => by.post('/api/v2/narrative', { name: 'x', [fields[type].single]: id }),
  ],
  [
    'PUT of a multi link',
    (by, { type, id }, { construct }) =>
      by.put(`/api/v2/construct/${construct}`, { name: 'x', [fields[type].multi]: [id] }),
  ],
  [
    'PUT of a single link',
    (by, { type, id }, { narrative }) =>
      by.put(`/api/v2/narrative/${narrative}`, { name: 'x', [fields[type].single]: id }),
  ],
  [
    'PATCH of a multi link',
    (by, { type, id }, { construct }) => by.patch(`/api/v2/construct/${construct}`, { [fields[type].multi]: [id] }),
  ],
  [
    'PATCH of a single link',
    (by, { type, id }, { narrative }) => by.patch(`/api/v2/narrative/${narrative}`, { [fields[type].single]: id }),
  ],
  [
    'PATCH of another category’s link',
    (by, { id }, { construct }) => by.patch(`/api/v2/construct/${construct}`, { locations: [id] }),
  ],
  [
    'PATCH of a stale element',
    (by, { type, id }, { construct }) =>
      by.patch(`/api/v2/construct/${construct}`, { [fields[type].multi]: [id] }, { 'If-Match': '1' }),
  ],
  [
    'links to add',
    (by, { type, id }, { construct }) =>
      by.post(`/api/v2/construct/${construct}/links/${fields[type].multi}`, { add: [id] }),
  ],
  [
    'links to add and remove',
    (by, { type, id }, { construct }) =>
      by.post(`/api/v2/construct/${construct}/links/${fields[type].multi}`, { add: [id], remove: [id] }),
  ],
  [
    'links to remove',
    (by, { type, id }, { construct }) =>
      by.post(`/api/v2/construct/${construct}/links/${fields[type].multi}`, { remove: [id] }),
  ],
  ['bulk', (by, { type, id }) => by.post('/api/v2/bulk', item('construct', { name: 'x', [fields[type].multi]: [id] }))],
  [
    'bulk of a single link',
    (by, { type, id }, { narrative }) =>
      by.post('/api/v2/bulk', item('narrative', { id: narrative, name: 'x', [fields[type].single]: id })),
  ],
  [
    'bulk, atomic',
    (by, { type, id }) =>
      by.post('/api/v2/bulk', { atomic: true, ...item('construct', { name: 'x', [fields[type].multi]: [id] }) }),
  ],
  ['POST of a pin', (by, { type, id }) => by.post('/api/v2/pin', { name: 'x', element_type: type, element_id: id })],
  [
    'PATCH of the id in a body',
    (by, { id }, { construct }) => by.patch(`/api/v2/construct/${construct}`, { id, name: 'x' }),
  ],
  ['PATCH of the world', (by, { id }) => by.patch('/api/v2/world', { owner_character: id })],
]
