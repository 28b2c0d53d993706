/**
 * Mails that anybody can cause are limited per recipient and per account that causes them. A mail is counted in
 * PostgreSQL, in the transaction of its outbox task: what is counted is sent, what is sent is counted, and a Redis that
 * lost its data would open no flood.
 */
import type { Transaction } from '@worlds/runtime/postgres'
import type { Context } from '../context'
import { foldEmail } from '../domain/email'
import { addErrand, type Errand, type MailTask, runErrand } from '../errands'
import { inBackground } from '../rpc/in-background'
import { countMail } from '../store/mail-counts'

export interface MailCause {
  /** Email that the mail goes to. */
  readonly to: string
  /** Account that causes the mail; null when none does. */
  readonly accountId: string | null
}

/** Nothing when a limit is reached: the caller then answers as if the mail had been sent. */
export async function addMail<T extends MailTask>(
  context: Context,
  tx: Transaction,
  { to, accountId }: MailCause,
  task: T,
): Promise<Errand<T> | undefined> {
  if (!(await countMail(tx, foldEmail(to), accountId, context.mailLimits))) return undefined
  return addErrand(context, tx, task)
}

/** Sends a mail after its commit. A mail server may take its time, so nobody waits for one. */
export async function sendMail(context: Context, errand: Errand<MailTask> | undefined): Promise<void> {
  if (errand === undefined) return
  const sending = runErrand(context, errand)
  if (context.mailer.slow) inBackground(context, 'sending a mail', sending)
  else await sending
}
