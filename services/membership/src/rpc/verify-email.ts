import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { sqlState } from '@worlds/runtime/postgres'
import { digests } from '@worlds/runtime/secrets'
import type { Context } from '../context'
import { readBody, text } from '../domain/body'
import { spendEmailToken } from '../store/email-tokens'
import { getAccount } from './get-account'

const uniqueViolation = '23505'

/** A token works for the account that asked for it alone. Why one does not work is never told. */
export async function verifyEmail(context: Context, request: AccountRequest): Promise<Reply> {
  const { token } = readBody(request.body, { token: text({ max: 255 }) })
  if (token === undefined) throw new RefusalError(invalid('token', 'token is required.'))
  if (!(await spend(context, request.account_id, token))) throw new RefusalError(noSuch('token'))
  return getAccount(context, request)
}

async function spend(context: Context, accountId: string, token: string): Promise<boolean> {
  try {
    return await spendEmailToken(context.db, accountId, digests(context.peppers, token))
  } catch (error) {
    // Another account has verified the email meanwhile (D37).
    if (sqlState(error) === uniqueViolation) return false
    throw error
  }
}
