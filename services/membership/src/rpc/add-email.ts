import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readBody, text } from '../domain/body'
import { readEmail } from '../domain/email'
import { addMail, sendMail } from '../mail/add-mail'
import { mailVerificationTask } from '../mail/mail-verification'
import { claimEmail } from '../store/emails'
import { accepted } from './reply'

/** Whether another account has this email, or this one has verified it, changes neither the answer nor the mail. */
export async function addEmail(context: Context, request: AccountRequest): Promise<Reply> {
  const sent = readBody(request.body, { email: text({ max: 254 }) }).email
  if (sent === undefined) throw new RefusalError(invalid('email', 'email is required.'))
  const email = readEmail(sent)
  const mail = await context.db.transaction(async (tx) => {
    if (!(await claimEmail(tx, request.account_id, email))) throw new RefusalError(noSuch('account'))
    const cause = { to: email.address, accountId: request.account_id }
    return addMail(context, tx, cause, mailVerificationTask(request.account_id, email.address))
  })
  await context.failpoints.reach('membership.email-added')
  await sendMail(context, mail)
  return accepted()
}
