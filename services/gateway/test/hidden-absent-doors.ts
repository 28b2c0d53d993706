/** The same by the other doors: the classic dialect, search, metadata, and the tools. An element's name is its id. */
import { randomUUID } from 'node:crypto'
import type { Api, ApiReply } from '@worlds/testkit/api'
import type { Call, Named } from './hidden-absent-calls'
import type { Body } from './support'

const classic = ({ type, id }: Named) => `/api/worldapi/${type}/${id}/`

/** A tool's call, as bytes. */
function tool(by: Api, name: string, args: Body): Promise<ApiReply> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  return by.post('/mcp', message, { Accept: 'application/json, text/event-stream' })
}

const byTool = (name: string, argsOf: (named: Named) => Body): Call => [
  `${name} by a tool`,
  (by, named) => tool(by, name, argsOf(named)),
]

export const otherReads: readonly Call[] = [
  ['classic GET', (by, named) => by.get(classic(named))],
  ['classic GET without its slash', (by, { type, id }) => by.get(`/api/worldapi/${type}/${id}`)],
  ['classic GET as another category', (by, { id }) => by.get(`/api/worldapi/event/${id}/`)],
  ['a classic list of its name', (by, { type, id }) => by.get(`/api/worldapi/${type}/?name__icontains=${id}`)],
  [
    'a classic list with an offset',
    (by, { type, id }) => by.get(`/api/worldapi/${type}/?name__icontains=${id}&offset=0`),
  ],
  [
    'a classic list of one row after',
    (by, { type, id }) => by.get(`/api/worldapi/${type}/?name__icontains=${id}&offset=1`),
  ],
  ['search of its name', (by, { id }) => by.get(`/api/v2/search?q=${id}`)],
  ['search of its name’s beginning', (by, { id }) => by.get(`/api/v2/search?q=${id.slice(0, 20)}`)],
  ['search of its name’s end', (by, { id }) => by.get(`/api/v2/search?q=${id.slice(-20)}`)],
  ['search of its text', (by, { id }) => by.get(`/api/v2/search?q=${id.replaceAll('-', '%20')}`)],
  ['search in its category', (by, { type, id }) => by.get(`/api/v2/search?q=${id}&type=${type}&limit=1`)],
  ['search as it', (by, { id }) => by.get(`/api/v2/search?q=Someone&as=${id}`)],
  ['metadata as it', (by, { id }) => by.get(`/api/metadata/narrative/?as=${id}`)],
  byTool('get_element', ({ type, id }) => ({ type, id })),
  byTool('list_elements', ({ type, id }) => ({ type, name: id })),
  byTool('search_elements', ({ id }) => ({ q: id })),
  byTool('list_files', ({ type, id }) => ({ type, id })),
  byTool('read_file', ({ type, id, file }) => ({ type, id, file_id: file })),
]

export const otherWrites: readonly Call[] = [
  ['classic PATCH', (by, named) => by.patch(classic(named), { name: 'x' })],
  ['classic PATCH of nothing', (by, named) => by.patch(classic(named), {})],
  ['classic PATCH with a bad field', (by, named) => by.patch(classic(named), { nonsense: 1 })],
  ['classic PUT', (by, named) => by.put(classic(named), { name: 'x' })],
  ['classic PUT with a bad link', (by, named) => by.put(classic(named), { name: 'x', species_ids: [randomUUID()] })],
  ['classic PUT as another category', (by, { id }) => by.put(`/api/worldapi/event/${id}/`, { name: 'x' })],
  ['classic DELETE', (by, named) => by.delete(classic(named))],
  [
    'classic POST of a link',
    (by, { type, id }) => by.post('/api/worldapi/construct/', { name: 'x', [`${type}s_ids`]: [id] }),
  ],
  [
    'classic PATCH of a link',
    (by, { type, id }, { construct }) => by.patch(`/api/worldapi/construct/${construct}/`, { [`${type}s_ids`]: [id] }),
  ],
  byTool('update_element', ({ type, id }) => ({ type, id, element: { name: 'x' } })),
  byTool('edit_links', ({ type, id }) => ({ type, id, field: 'species', add: [] })),
  byTool('create_element', ({ type, id }) => ({ type: 'construct', element: { name: 'x', [`${type}s`]: [id] } })),
  byTool('bulk_apply', ({ type, id }) => ({
    items: [{ type: 'construct', element: { name: 'x', [`${type}s`]: [id] } }],
  })),
]
