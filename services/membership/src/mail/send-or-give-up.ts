import type { Context } from '../context'
import { isRefused, type Mail } from './mailer'

const patienceMs = 3_600_000

/** When a mail that is asked for now is given up (milliseconds since 1970) if it could not be sent by then. */
export function giveUpAt(): number {
  return Date.now() + patienceMs
}

/** Throws when the mail may still be sent by a later attempt. */
export async function sendOrGiveUp(context: Context, mail: Mail, giveUpAt: number): Promise<void> {
  try {
    await context.mailer.send(mail)
  } catch (error) {
    if (!isRefused(error) && Date.now() < giveUpAt) throw error
    context.log.warn({ err: error, to: mail.to, subject: mail.subject }, 'a mail was given up')
  }
}
