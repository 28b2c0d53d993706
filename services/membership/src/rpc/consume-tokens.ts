import { invalid, RefusalError, unknownKey } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { TokensRequest__Output as TokensRequest } from '@worlds/proto/generated/worlds/membership/v1/TokensRequest'
import type { Context } from '../context'
import { amount, consumedRecord, label, metadata } from '../domain/allowance'
import { readBody } from '../domain/body'
import { consumeAllowance } from '../store/allowances'
import { ok } from './reply'

const readers = { amount, service: label, session_id: label, metadata }

/** Using more than there is succeeds, with a warning: who has the tokens is elsewhere. */
export async function consumeTokens(context: Context, request: TokensRequest): Promise<Reply> {
  const { amount: wanted, session_id } = readBody(request.body, readers)
  if (wanted === undefined) throw new RefusalError(invalid('amount', 'amount is required.'))
  const allowance = await consumeAllowance(context.db, request.account_id, wanted, session_id)
  if (allowance === undefined) throw new RefusalError(unknownKey())
  return ok(consumedRecord(allowance, wanted, context.tokenRating))
}
