import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { ownedWorldRows, sharedWorldRow } from '../domain/records'
import { listSharedWorlds } from '../store/member-ties'
import { listOwnedWorlds } from '../store/worlds'
import { ok } from './reply'

/** Its own worlds first, then those that others share with it. */
export async function listWorlds(context: Context, request: AccountRequest): Promise<Reply> {
  const owned = await listOwnedWorlds(context.db, request.account_id)
  const shared = await listSharedWorlds(context.db, request.account_id)
  const refs = shared.map(({ id, membership }) => ({ world_id: id, member_id: membership }))
  const [facts, members] = await Promise.all([
    context.roll.describeWorlds([...owned, ...shared].map((world) => world.id)),
    context.roll.describeMembers(refs),
  ])
  const sharedRows = shared.flatMap((world) => {
    const known = facts.get(world.id)
    const member = members.get(world.membership)
    // Whoever was removed a moment ago has left already.
    if (known === undefined || member?.status !== 'active') return []
    return [sharedWorldRow(world, known, world.membership, member.role)]
  })
  return ok({ data: [...ownedWorldRows(owned, facts), ...sharedRows] })
}
