import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { accountRecord } from '../domain/records'
import { readAccount } from '../store/accounts'
import { listEmails } from '../store/emails'
import { ok } from './reply'

export async function getAccount(context: Context, request: AccountRequest): Promise<Reply> {
  const account = await readAccount(context.db, request.account_id)
  if (account === undefined) throw new RefusalError(noSuch('account'))
  const emails = await listEmails(context.db, account.id)
  const images = { used: request.image_bytes_used, cap: request.image_bytes_cap }
  return ok(accountRecord(account, emails, images))
}
