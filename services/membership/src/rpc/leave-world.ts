import { notOwner, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { endMembershipOf } from './remove-member'
import { noContent } from './reply'
import { readMemberTie } from './world-tie'

export async function leaveWorld(context: Context, request: AccountRequest): Promise<Reply> {
  const { world, membership } = await readMemberTie(context, request)
  if (membership === null) {
    throw new RefusalError({ ...notOwner(), message: 'The owner cannot leave the world, only delete it.' })
  }
  await endMembershipOf(context, world.id, { id: membership, accountId: request.account_id })
  return noContent()
}
