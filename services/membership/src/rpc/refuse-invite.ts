import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { refuseSponsorOffer } from '../sponsor-offer'
import { refuseReceivedInvite } from '../store/received-invites'
import { noContent } from './reply'

export async function refuseInvite(context: Context, request: AccountRequest): Promise<Reply> {
  const id = readId(request.id)
  const refused = await refuseReceivedInvite(context.db, request.account_id, id)
  if (!refused && !(await refuseSponsorOffer(context, request.account_id, id))) throw new RefusalError(noSuch('invite'))
  return noContent()
}
