import type { Statement, Transaction } from '@worlds/runtime/postgres'

export interface MailLimits {
  readonly perRecipientHour: number
  readonly perRecipientDay: number
  readonly perAccountDay: number
}

/** Classes of advisory locks, which no other statement of this database uses. */
const recipientLock = 1_001
const accountLock = 1_002

const lockCount: Statement = {
  name: 'lock-mail-count',
  text: 'select pg_advisory_xact_lock($1::integer, hashtext($2::text))',
}

// Indexes: mails_recipient_idx, mails_account_idx.
const insert: Statement = {
  name: 'insert-mail',
  text: `
    insert into membership.mails (recipient, account_id)
    select sha256(convert_to($1::text, 'UTF8')), $2::uuid
    where (select count(*) from membership.mails m
        where m.recipient = sha256(convert_to($1::text, 'UTF8')) and m.created_at > now() - interval '1 hour') < $3::integer
      and (select count(*) from membership.mails m
        where m.recipient = sha256(convert_to($1::text, 'UTF8')) and m.created_at > now() - interval '1 day') < $4::integer
      and (select count(*) from membership.mails m
        where m.account_id = $2::uuid and m.created_at > now() - interval '1 day') < $5::integer
    returning id`,
}

// Index: mails_created_idx.
const removeOld: Statement = {
  name: 'delete-old-mails',
  text: `
    delete from membership.mails m
    where m.id in (
      select o.id from membership.mails o
      where o.created_at < now() - interval '1 day'
      order by o.created_at
      limit 100
      for update skip locked
    )`,
}

/**
 * Counts a mail, unless a limit is reached: false then. The locks are taken before the counts are read, the recipient's
 * always first, so that mails at once are counted one after another and never wait for each other in a circle.
 */
export async function countMail(
  tx: Transaction,
  recipient: string,
  accountId: string | null,
  limits: MailLimits,
): Promise<boolean> {
  await tx.rows(lockCount, [recipientLock, recipient])
  if (accountId !== null) await tx.rows(lockCount, [accountLock, accountId])
  const { perRecipientHour, perRecipientDay, perAccountDay } = limits
  const rows = await tx.rows(insert, [recipient, accountId, perRecipientHour, perRecipientDay, perAccountDay])
  await tx.rows(removeOld, [])
  return rows.length === 1
}
