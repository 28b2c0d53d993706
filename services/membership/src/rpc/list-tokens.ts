import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { tokenRow } from '../domain/records'
import { listTokens as readTokens } from '../store/tokens'
import { ok } from './reply'

export async function listTokens(context: Context, request: AccountRequest): Promise<Reply> {
  const tokens = await readTokens(context.db, request.account_id)
  return ok({ data: tokens.map(tokenRow) })
}
