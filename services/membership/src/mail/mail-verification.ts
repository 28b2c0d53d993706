import { digest } from '@worlds/runtime/secrets'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { foldEmail } from '../domain/email'
import { mintEmailToken } from '../domain/keys'
import { insertEmailToken } from '../store/email-tokens'
import { giveUpAt, sendOrGiveUp } from './send-or-give-up'
import { verificationMail } from './verification-mail'

/** After `giveUpAt` (milliseconds since 1970) a mail that could not be sent is given up. */
export type MailVerification = {
  kind: 'mail-verification'
  worldId: null
  payload: { accountId: string; email: string; giveUpAt: number }
}

export function mailVerificationTask(accountId: string, email: string): MailVerification {
  return { kind: 'mail-verification', worldId: null, payload: { accountId, email, giveUpAt: giveUpAt() } }
}

/** The token is minted as its mail is sent, so that nothing but the mail ever holds it. */
export async function mailVerification(context: Context, { payload }: MailVerification): Promise<void> {
  const { accountId, email } = payload
  const token = mintEmailToken()
  const expiresAt = await insertEmailToken(context.db, {
    id: uuidv7(),
    accountId,
    folded: foldEmail(email),
    digest: digest(context.peppers, token),
    lifeMs: context.emailTokenLifeMs,
  })
  if (expiresAt === undefined) return
  await sendOrGiveUp(context, verificationMail(email, context.portalUrl, token, expiresAt), payload.giveUpAt)
}
