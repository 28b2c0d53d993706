import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { receivedInviteRow } from '../domain/sharing'
import { listReceivedInvites } from '../store/received-invites'
import { ok } from './reply'

export async function listInvites(context: Context, request: AccountRequest): Promise<Reply> {
  const invites = await listReceivedInvites(context.db, request.account_id)
  const worlds = await context.roll.describeWorlds([...new Set(invites.map(({ worldId }) => worldId))])
  const rows = invites.flatMap((invite) => {
    const world = worlds.get(invite.worldId)
    return world === undefined ? [] : [receivedInviteRow(invite, world.name)]
  })
  return ok({ data: rows })
}
