import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { deleteWatched } from '../store/watched'
import { noContent } from './reply'

export async function removeWatched(context: Context, request: AccountRequest): Promise<Reply> {
  const deleted = await deleteWatched(context.db, request.account_id, readId(request.id))
  if (!deleted) throw new RefusalError(noSuch('watched world'))
  return noContent()
}
