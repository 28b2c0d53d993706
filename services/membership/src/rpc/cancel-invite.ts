import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { cancelInvite as deleteInvite } from '../store/invites'
import { noContent } from './reply'
import { readOwnedWorld } from './world-tie'

export async function cancelInvite(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const deleted = await deleteInvite(context.db, world.id, readId(request.id))
  if (!deleted) throw new RefusalError(noSuch('invite'))
  return noContent()
}
