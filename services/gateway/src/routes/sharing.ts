import { guestNotSupported } from '@worlds/domain/errors'
import { refuseUnknown } from '@worlds/domain/query'
import type { Standing__Output as Standing } from '@worlds/proto/generated/worlds/element/v1/Standing'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, json, refuse } from '../http/answer'
import { toAnswer } from './reply'
import type { WorldCall, WorldRoute } from './route'

/** Routes that guests cannot use, and whose answers membership has. Element is asked for the caller's standing first. */
export const sharingRoutes: readonly WorldRoute[] = [
  { method: 'get', path: '/api/v2/world/sharing', access: 'read', handle: (call) => withStanding(call, getSharing) },
  { method: 'get', path: '/api/v2/tokens/status', access: 'read', handle: (call) => withAllowance(call, getTokens) },
  {
    method: 'post',
    path: '/api/v2/tokens/consume',
    access: 'write',
    handle: (call) => withAllowance(call, consumeTokens),
  },
]

/** A player has no account, so no allowance, whatever its role. */
async function withAllowance(call: WorldCall, answer: (call: WorldCall) => Promise<Answer>): Promise<Answer> {
  return call.principal.player ? refuse(guestNotSupported()) : withStanding(call, answer)
}

async function withStanding(
  call: WorldCall,
  answer: (call: WorldCall, standing: Standing) => Promise<Answer>,
): Promise<Answer> {
  const { standing, refusal } = await call.clients.getStanding({ principal: call.principal })
  if (refusal) return refuse(fromWire(refusal))
  if (!standing) return { kind: 'ask-again' }
  if (standing.role === 'guest') return refuse(guestNotSupported())
  refuseUnknown(call.query, [])
  return answer(call, standing)
}

/** What the owner has handed out is the owner's to see. */
async function getSharing({ clients, principal }: WorldCall, standing: Standing): Promise<Answer> {
  const isOwner = principal.kind === 'owner'
  const counts = isOwner ? await clients.countSharing(principal.world_id) : undefined
  return json(200, {
    public_read: standing.public_read,
    members: { active: standing.active_members, pending_invites: counts?.pending_invites ?? null },
    read_keys: counts?.read_keys ?? null,
    open_links: counts?.open_links ?? null,
  })
}

async function getTokens({ clients, principal }: WorldCall): Promise<Answer> {
  return toAnswer(await clients.getTokens(principal.account))
}

async function consumeTokens({ clients, principal, body }: WorldCall): Promise<Answer> {
  return toAnswer(await clients.consumeTokens(principal.account, await body()))
}
