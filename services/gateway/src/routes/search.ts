import { encodeSearchCursor } from '@worlds/domain/cursor'
import { readSearchQuery } from '@worlds/domain/query'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, refuse } from '../http/answer'
import { asOf } from './elements'
import type { WorldCall, WorldRoute } from './route'

export const searchRoutes: readonly WorldRoute[] = [
  { method: 'get', path: '/api/v2/search', access: 'read', takesAs: true, handle: search },
]

async function search(call: WorldCall): Promise<Answer> {
  const { clients, principal, query } = call
  const as = asOf(call)
  const { limit, after, scope } = readSearchQuery(principal.world_id, query)
  const place = after && { rank: after.rank, folded_name: after.foldedName, id: after.id }
  const { q, types } = scope
  const reply = await clients.searchElements({ principal, q, types: [...types], limit, after: place, as })
  if (reply.refusal) return refuse(fromWire(reply.refusal))
  if (!reply.hits) return { kind: 'ask-again' }
  const { rows, next } = reply.hits
  const cursor = next && encodeSearchCursor(scope, { rank: next.rank, foldedName: next.folded_name, id: next.id })
  const end = `],"has_more":${cursor !== null},"next_cursor":${JSON.stringify(cursor)}}`
  return { kind: 'reply', status: 200, body: [Buffer.from('{"data":['), rows, Buffer.from(end)] }
}
