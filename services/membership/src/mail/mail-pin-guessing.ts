import type { Context } from '../context'
import { pinGuessingMail } from './pin-guessing-mail'
import { giveUpAt, sendOrGiveUp } from './send-or-give-up'

export type MailPinGuessing = {
  kind: 'mail-pin-guessing'
  worldId: null
  payload: { email: string; giveUpAt: number }
}

export function mailPinGuessingTask(email: string): MailPinGuessing {
  return { kind: 'mail-pin-guessing', worldId: null, payload: { email, giveUpAt: giveUpAt() } }
}

export async function mailPinGuessing(context: Context, { payload }: MailPinGuessing): Promise<void> {
  await sendOrGiveUp(context, pinGuessingMail(payload.email, context.portalUrl), payload.giveUpAt)
}
