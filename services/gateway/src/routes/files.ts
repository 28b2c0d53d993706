import { mediaUnavailable } from '@worlds/domain/errors'
import { refuseUnknown } from '@worlds/domain/query'
import { categories } from '@worlds/domain/registry'
import type { FileRecord__Output as FileRecord } from '@worlds/proto/generated/worlds/file/v1/FileRecord'
import type { FilesReply__Output as FilesReply } from '@worlds/proto/generated/worlds/file/v1/FilesReply'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, json, refuse } from '../http/answer'
import { categoryOf, idOf } from './elements'
import { toAnswer } from './reply'
import type { WorldCall, WorldRoute } from './route'

const path = '/api/v2/:type/:id/files'
const matches = ({ type = '' }: Record<string, string>) => categories.has(type)

/** Those with names of their own stand before those of the categories. */
export const fileRoutes: readonly WorldRoute[] = [
  route('get', '/api/v2/world/files', 'read', listWorldFiles),
  route('post', '/api/v2/media/ticket', 'write', createImageTicket),
  route('post', '/api/v2/media/remove-ticket', 'write', createRemovalTicket),
  { ...route('get', path, 'read', listFiles), matches },
  { ...route('post', path, 'write', createTicket), matches },
  { ...route('get', `${path}/:file/download`, 'read', getDownload), matches },
  { ...route('delete', `${path}/:file`, 'write', removeFile), matches },
]

function route(
  method: WorldRoute['method'],
  path: string,
  access: WorldRoute['access'],
  handle: (call: WorldCall) => Promise<Answer>,
): WorldRoute {
  return {
    method,
    path,
    access,
    isNeverKept: true,
    handle: async (call) => (call.clients.hasFiles ? handle(call) : refuse(mediaUnavailable())),
  }
}

async function listFiles(call: WorldCall): Promise<Answer> {
  const { clients, principal, departure } = call
  const request = { principal, type: categoryOf(call).slug, id: checkedId(call) }
  return showFiles(call, await clients.listFiles(request, departure.signal), (records) => ({
    data: records.map(([shown]) => shown),
  }))
}

async function listWorldFiles(call: WorldCall): Promise<Answer> {
  refuseUnknown(call.query, [])
  const parts = await call.clients.listWorldFiles({ principal: call.principal }, call.departure.signal)
  return showFiles(call, parts, (records) => ({
    data: records.map(([shown, { element_type, element_id }]) => ({ ...shown, element_type, element_id })),
    used_bytes: parts[0]?.files?.used_bytes,
    cap_bytes: parts[0]?.files?.cap_bytes,
  }))
}

async function createTicket(call: WorldCall): Promise<Answer> {
  const { clients, principal } = call
  const type = categoryOf(call).slug
  const id = checkedId(call)
  const body = await call.body()
  return toAnswer(await clients.createFileTicket({ principal, type, id, body }))
}

async function getDownload(call: WorldCall): Promise<Answer> {
  return toAnswer(await call.clients.getDownload(fileOf(call)))
}

async function removeFile(call: WorldCall): Promise<Answer> {
  return toAnswer(await call.clients.removeFile(fileOf(call)))
}

async function createImageTicket({ clients, principal, query, body }: WorldCall): Promise<Answer> {
  refuseUnknown(query, [])
  return toAnswer(await clients.createImageTicket({ principal, body: await body() }))
}

async function createRemovalTicket({ clients, principal, query, body }: WorldCall): Promise<Answer> {
  refuseUnknown(query, [])
  return toAnswer(await clients.createRemovalTicket({ principal, body: await body() }))
}

type Shown = readonly [shown: object, record: FileRecord]

/** Names of accounts are membership's; the file service knows who by their ids alone. */
async function showFiles(
  { clients }: WorldCall,
  parts: readonly FilesReply[],
  present: (records: Shown[]) => object,
): Promise<Answer> {
  const [first] = parts
  if (first?.refusal) return refuse(fromWire(first.refusal))
  if (!first?.files) return { kind: 'ask-again' }
  const files = parts.flatMap((part) => part.files?.files ?? [])
  const ids = [...new Set(files.filter(({ agent }) => !agent).map(({ account }) => account))]
  const names = ids.length === 0 ? {} : (await clients.nameAccounts(ids)).names
  return json(200, present(files.map((record) => [shownRecord(record, names), record])))
}

/** Whose account is gone has neither a name nor a membership any longer (D9). */
function shownRecord(record: FileRecord, names: Record<string, string>) {
  const { id, name, kind, size, label, account, membership, agent, agent_name, added_at } = record
  const isGone = !agent && names[account] === undefined
  const added_by = {
    name: agent ? agent_name : (names[account] ?? ''),
    membership: membership === '' || isGone ? null : membership,
    agent,
  }
  return { id, name, kind, size, label: label === '' ? null : label, added_by, added_at }
}

function checkedId(call: WorldCall): string {
  const id = idOf(call)
  refuseUnknown(call.query, [])
  return id
}

export function fileOf(call: WorldCall) {
  return {
    principal: call.principal,
    type: categoryOf(call).slug,
    id: checkedId(call),
    file_id: call.params.file ?? '',
  }
}
