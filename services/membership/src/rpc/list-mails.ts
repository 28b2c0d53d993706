import { noSuchRoute, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { Context } from '../context'
import { listSentMails } from '../store/sent-mails'
import { ok } from './reply'

export async function listMails(context: Context): Promise<Reply> {
  if (!context.mailer.keeps) throw new RefusalError(noSuchRoute())
  const mails = await listSentMails(context.db)
  return ok({ data: mails.map(({ to, subject, text, sentAt }) => ({ to, subject, text, sent_at: sentAt })) })
}
