import { type Statement, type Transaction, toTimestamp } from '@worlds/runtime/postgres'

// Indexes: email_tokens_account_idx, emails_pkey.
const insert: Statement = {
  name: 'insert-email-token',
  text: `
    with expired as (
      delete from membership.email_tokens t
      where t.account_id = $2::uuid and t.expires_at <= now()
    )
    insert into membership.email_tokens (id, account_id, folded, digest, expires_at)
    select $1::uuid, e.account_id, e.folded, $4::text, now() + $5::bigint * interval '1 millisecond'
    from membership.emails e
    where e.account_id = $2::uuid and e.folded = $3::text
    returning expires_at`,
}

export interface NewEmailToken {
  readonly id: string
  readonly accountId: string
  readonly folded: string
  readonly digest: string
  readonly lifeMs: number
}

/** When the token expires; nothing when the account has no such email. */
export async function insertEmailToken(db: Transaction, token: NewEmailToken): Promise<string | undefined> {
  const { id, accountId, folded, digest, lifeMs } = token
  const [row] = await db.rows(insert, [id, accountId, folded, digest, lifeMs])
  return row === undefined ? undefined : toTimestamp(row[0] as string)
}

// Indexes: email_tokens_digest_key, emails_pkey.
const spend: Statement = {
  name: 'spend-email-token',
  text: `
    with spent as (
      delete from membership.email_tokens t
      where t.digest = any ($2::text[]) and t.account_id = $1::uuid and t.expires_at > now()
      returning t.account_id, t.folded
    )
    update membership.emails e
    set verified = true
    from spent s
    where e.account_id = s.account_id and e.folded = s.folded
    returning e.folded`,
}

/**
 * Marks the email verified that the token stands for, and uses the token up; false when there is no such token. Fails
 * on emails_verified_key, with nothing changed, when another account has verified the email.
 */
export async function spendEmailToken(
  db: Transaction,
  accountId: string,
  digests: readonly string[],
): Promise<boolean> {
  const rows = await db.rows(spend, [accountId, digests])
  return rows.length === 1
}
