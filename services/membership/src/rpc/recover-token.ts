import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { RecoverTokenRequest__Output as RecoverTokenRequest } from '@worlds/proto/generated/worlds/membership/v1/RecoverTokenRequest'
import type { Context } from '../context'
import { foldEmail } from '../domain/email'
import { issueToken } from '../issue'
import { findVerifiedEmail } from '../store/emails'
import { deleteTokens } from '../store/tokens'
import { created } from './reply'

export async function recoverToken(context: Context, request: RecoverTokenRequest): Promise<Reply> {
  const found = await findVerifiedEmail(context.db, foldEmail(request.email))
  if (found === undefined) throw new RefusalError(noSuch('account'))
  const { accountId, email } = found
  const secret = await context.db.transaction(async (tx) => {
    if (request.revoke_others) await deleteTokens(tx, accountId)
    const { token, secret } = await issueToken(context, tx, accountId, '')
    if (token === undefined) throw new RefusalError(noSuch('account'))
    return secret
  })
  return created({ account: { id: accountId, email }, token: secret })
}
