import type { Statement, Transaction } from '@worlds/runtime/postgres'

// Index: pin_notices_pkey.
const claim: Statement = {
  name: 'claim-pin-notice',
  text: `
    insert into membership.pin_notices as n (pin_holder)
    values ($1::text)
    on conflict (pin_holder) do update set noticed_at = now()
    where n.noticed_at < now() - interval '1 day'
    returning n.pin_holder`,
}

/** False when the holder was noticed in the last 24 hours; else it counts as noticed from the commit on. */
export async function claimPinNotice(tx: Transaction, pinHolder: string): Promise<boolean> {
  const rows = await tx.rows(claim, [pinHolder])
  return rows.length === 1
}

const remove: Statement = {
  name: 'delete-pin-notice',
  text: 'delete from membership.pin_notices n where n.pin_holder = $1::text',
}

export async function deletePinNotice(tx: Transaction, pinHolder: string): Promise<void> {
  await tx.rows(remove, [pinHolder])
}

// Indexes: members_pkey, emails_pkey.
const findRecipient: Statement = {
  name: 'find-pin-notice-recipient',
  text: `
    select e.email
    from membership.emails e
    where e.verified and e.account_id = coalesce($1::uuid, (
      select coalesce(m.account_id, m.sponsor_account, w.owner_account)
      from membership.members m
      join membership.worlds w on w.id = m.world_id
      where m.id = $2::uuid))
    order by e.created_at, e.folded
    limit 1`,
}

export interface PinOwnerRef {
  /** The account whose PIN it is; null for a seat. */
  readonly accountId: string | null
  /** The seat whose secret it is: its sponsor is mailed. */
  readonly membership: string | null
}

/** A verified email of the account behind a PIN; nothing when it has none. */
export async function findNoticeRecipient(tx: Transaction, owner: PinOwnerRef): Promise<string | undefined> {
  const [row] = await tx.rows(findRecipient, [owner.accountId, owner.membership])
  return row?.[0] ?? undefined
}
