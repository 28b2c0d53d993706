import { type Row, type Statement, type Transaction, toInteger } from '@worlds/runtime/postgres'
import type { Allowance } from '../domain/allowance'

const today = `(now() at time zone 'UTC')::date`
const dayMs = `(extract(epoch from date_trunc('day', now(), 'UTC')) * 1000)::bigint`

// Index: allowances_pkey.
const read: Statement = {
  name: 'read-allowance',
  text: `
    select coalesce(u.used, 0), coalesce(cardinality(u.sessions), 0), ${dayMs}
    from (select) as one
    left join membership.allowances u on u.account_id = $1::uuid and u.day = ${today}`,
}

export async function readAllowance(db: Transaction, accountId: string): Promise<Allowance> {
  const [row] = await db.rows(read, [accountId])
  return toAllowance(row)
}

/** More than these are not told apart. */
const mostSessions = 1_000

// Index: allowances_pkey. The row of an earlier day begins anew.
const use: Statement = {
  name: 'use-allowance',
  text: `
    insert into membership.allowances as u (account_id, day, used, sessions)
    select a.id, ${today}, $2::bigint, $3::text[]
    from membership.accounts a
    where a.id = $1::uuid and a.deleted_at is null
    for share
    on conflict (account_id) do update
    set day = excluded.day,
      used = case when u.day = excluded.day then u.used else 0 end + excluded.used,
      sessions = case
        when u.day <> excluded.day then excluded.sessions
        when u.sessions @> excluded.sessions or cardinality(u.sessions) >= ${mostSessions} then u.sessions
        else u.sessions || excluded.sessions
      end
    returning u.used, cardinality(u.sessions), ${dayMs}`,
}

/** Nothing when the account is gone. */
export async function consumeAllowance(
  db: Transaction,
  accountId: string,
  amount: number,
  session: string | undefined,
): Promise<Allowance | undefined> {
  const [row] = await db.rows(use, [accountId, amount, session === undefined ? [] : [session]])
  return row === undefined ? undefined : toAllowance(row)
}

function toAllowance(row: Row | undefined): Allowance {
  return { used: toInteger(row?.[0]), sessions: toInteger(row?.[1]), dayMs: toInteger(row?.[2]) }
}

const remove: Statement = {
  name: 'delete-allowance',
  text: 'delete from membership.allowances u where u.account_id = $1::uuid',
}

export async function deleteAllowance(tx: Transaction, accountId: string): Promise<void> {
  await tx.rows(remove, [accountId])
}
