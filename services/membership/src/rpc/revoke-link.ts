import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { revokeJoinLink } from '../store/join-links'
import { noContent } from './reply'
import { readOwnedWorld } from './world-tie'

export async function revokeLink(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const revoked = await revokeJoinLink(context.db, world.id, readId(request.id))
  if (!revoked) throw new RefusalError(noSuch('link'))
  return noContent()
}
