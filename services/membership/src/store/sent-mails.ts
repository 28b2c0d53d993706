import { type Database, type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'
import type { Mail } from '../mail/mailer'

const insert: Statement = {
  name: 'insert-sent-mail',
  text: 'insert into membership.sent_mails (recipient, subject, body) values ($1::text, $2::text, $3::text)',
}

// Index: sent_mails_pkey.
const trim: Statement = {
  name: 'trim-sent-mails',
  text: `
    delete from membership.sent_mails m
    where m.id <= (select o.id from membership.sent_mails o order by o.id desc offset 100 limit 1)`,
}

/** The last hundred are kept. */
export async function insertSentMail(db: Database, { to, subject, text }: Mail): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.rows(insert, [to, subject, text])
    await tx.rows(trim, [])
  })
}

// Index: sent_mails_pkey.
const list: Statement = {
  name: 'list-sent-mails',
  text: `
    select m.recipient, m.subject, m.body, m.sent_at
    from membership.sent_mails m
    order by m.id desc
    limit 100`,
}

export interface SentMail extends Mail {
  readonly sentAt: string
}

/** Newest first. */
export async function listSentMails(db: Transaction): Promise<SentMail[]> {
  const rows = await db.rows(list, [])
  return rows.map((row) => {
    const [to, subject, text, sentAt] = row as [string, string, string, string]
    return { to, subject, text, sentAt: toTimestamp(sentAt) }
  })
}
