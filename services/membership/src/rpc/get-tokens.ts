import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { TokensRequest__Output as TokensRequest } from '@worlds/proto/generated/worlds/membership/v1/TokensRequest'
import type { Context } from '../context'
import { allowanceRecord } from '../domain/allowance'
import { readAllowance } from '../store/allowances'
import { ok } from './reply'

export async function getTokens(context: Context, { account_id }: TokensRequest): Promise<Reply> {
  const allowance = await readAllowance(context.db, account_id)
  return ok(allowanceRecord(allowance, context.tokenRating))
}
