import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { name, readOptionalBody } from '../domain/body'
import { tokenRow } from '../domain/records'
import { issueToken } from '../issue'
import { created } from './reply'

export async function createToken(context: Context, request: AccountRequest): Promise<Reply> {
  const fields = readOptionalBody(request.body, { name })
  const { token, secret } = await issueToken(context, context.db, request.account_id, fields.name ?? '')
  if (token === undefined) throw new RefusalError(noSuch('account'))
  return created({ ...tokenRow(token), token: secret })
}
