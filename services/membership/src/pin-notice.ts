import type { Context } from './context'
import { readPinHolder } from './domain/pin'
import { addMail, sendMail } from './mail/add-mail'
import { mailPinGuessingTask } from './mail/mail-pin-guessing'
import { claimPinNotice, deletePinNotice, findNoticeRecipient } from './store/pin-notices'

/** Mails the account behind a PIN that it is being guessed, at most once in 24 hours. */
export async function notifyPinGuessing(context: Context, pinHolder: string): Promise<void> {
  const owner = readPinHolder(pinHolder)
  const errand = await context.db.transaction(async (tx) => {
    if (!(await claimPinNotice(tx, pinHolder))) return undefined
    const to = await findNoticeRecipient(tx, owner)
    if (to === undefined) return undefined
    const errand = await addMail(context, tx, { to, accountId: null }, mailPinGuessingTask(to))
    // A recipient that has had its mails of this hour is notified by a later report.
    if (errand === undefined) await deletePinNotice(tx, pinHolder)
    return errand
  })
  await sendMail(context, errand)
}
