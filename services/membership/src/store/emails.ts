import type { Statement, Transaction } from '@worlds/runtime/postgres'
import type { Email } from '../domain/email'
import type { AccountEmail } from '../domain/records'

const insertVerified: Statement = {
  name: 'insert-verified-email',
  text: `
    insert into membership.emails (account_id, folded, email, verified)
    values ($1::uuid, $2::text, $3::text, true)
    on conflict (folded) where verified do nothing
    returning account_id`,
}

/** False when another account has verified this email. */
export async function insertVerifiedEmail(db: Transaction, accountId: string, email: Email): Promise<boolean> {
  const rows = await db.rows(insertVerified, [accountId, email.folded, email.address])
  return rows.length === 1
}

const list: Statement = {
  name: 'list-emails',
  text: `
    select e.email, e.verified
    from membership.emails e
    where e.account_id = $1::uuid
    order by e.created_at, e.folded`,
}

export async function listEmails(db: Transaction, accountId: string): Promise<AccountEmail[]> {
  const rows = await db.rows(list, [accountId])
  return rows.map((row) => {
    const [email, verified] = row as [string, string]
    return { email, verified: verified === 't' }
  })
}

// Index: emails_verified_key.
const findVerified: Statement = {
  name: 'find-verified-email',
  text: 'select e.account_id, e.email from membership.emails e where e.folded = $1::text and e.verified',
}

export async function findVerifiedEmail(
  db: Transaction,
  folded: string,
): Promise<{ accountId: string; email: string } | undefined> {
  const [row] = await db.rows(findVerified, [folded])
  if (row === undefined) return undefined
  const [accountId, email] = row as [string, string]
  return { accountId, email }
}

// Index: emails_pkey.
const claim: Statement = {
  name: 'claim-email',
  text: `
    insert into membership.emails (account_id, folded, email, verified)
    select a.id, $2::text, $3::text, false
    from membership.accounts a
    where a.id = $1::uuid and a.deleted_at is null
    for share
    on conflict (account_id, folded) do update
    set email = case when emails.verified then emails.email else excluded.email end
    returning account_id`,
}

/** Lists an email as unverified, in its last spelling; a verified one stays as it is. False without such an account. */
export async function claimEmail(db: Transaction, accountId: string, email: Email): Promise<boolean> {
  const rows = await db.rows(claim, [accountId, email.folded, email.address])
  return rows.length === 1
}

const removeAll: Statement = {
  name: 'delete-emails',
  text: 'delete from membership.emails e where e.account_id = $1::uuid',
}

/** Verifications under way go with them. */
export async function deleteEmails(tx: Transaction, accountId: string): Promise<void> {
  await tx.rows(removeAll, [accountId])
}
