/** Images that wait for somebody to look at them. */
import type { Row, Statement, Transaction } from '@worlds/runtime/postgres'

export interface ImageRef {
  readonly worldId: string
  readonly id: string
}

const due: Statement = {
  name: 'claim-due-images',
  text: `
    with due as materialized (
      select i.world_id, i.id
      from file.images i -- images_to_settle
      where i.state = 'reserved' and i.settle_at <= clock_timestamp()
      order by i.settle_at
      limit $1::integer
      for update skip locked
    )
    update file.images i set settle_at = clock_timestamp() + $2::integer * interval '1 millisecond'
    from due
    where i.world_id = due.world_id and i.id = due.id
    returning i.world_id, i.id`,
}

/** Takes images that are due to be settled, for `leaseMs`. */
export async function claimDueImages(db: Transaction, limit: number, leaseMs: number): Promise<ImageRef[]> {
  return (await db.rows(due, [limit, leaseMs])).map(toRef)
}

const removals: Statement = {
  name: 'claim-due-removals',
  text: `
    with due as materialized (
      select i.world_id, i.id
      from file.images i -- images_in_removal
      where i.state = 'listed' and i.removal_until is not null
        and i.removal_until <= clock_timestamp() - $2::bigint * interval '1 millisecond'
      order by i.removal_until
      limit $1::integer
      for update skip locked
    )
    -- Looked at again in a while, should nobody end it: due counts from this time on.
    update file.images i
    set removal_until = least(clock_timestamp(), clock_timestamp() + ($3::integer - $2::bigint) * interval '1 millisecond')
    from due
    where i.world_id = due.world_id and i.id = due.id
    returning i.world_id, i.id`,
}

/** Images whose removal tickets ended a while ago; whether they were used is to be found out. */
export async function claimDueRemovals(
  db: Transaction,
  limit: number,
  sinceMs: number,
  leaseMs: number,
): Promise<ImageRef[]> {
  return (await db.rows(removals, [limit, sinceMs, leaseMs])).map(toRef)
}

const unused: Statement = {
  name: 'end-unused-removal',
  text: `
    update file.images i set removal_until = null
    where i.world_id = $1::uuid and i.id = $2::uuid and i.removal_until <= clock_timestamp()`,
}

/** The ticket ended unused. */
export async function endUnusedRemoval(db: Transaction, { worldId, id }: ImageRef): Promise<void> {
  await db.rows(unused, [worldId, id])
}

const old: Statement = {
  name: 'old-images',
  text: `
    select i.world_id, i.id
    from file.images i -- images_to_forget
    where i.state = 'void' and i.issued_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
    order by i.issued_at
    limit $2::integer`,
}

/** Rows without an image that have been kept long enough. */
export async function listOldImages(db: Transaction, olderMs: number, limit: number): Promise<ImageRef[]> {
  return (await db.rows(old, [olderMs, limit])).map(toRef)
}

const forget: Statement = {
  name: 'forget-image',
  text: `
    delete from file.images i
    where i.world_id = $1::uuid and i.id = $2::uuid and i.state in ('removed', 'void')`,
}

export async function forgetImage(db: Transaction, { worldId, id }: ImageRef): Promise<void> {
  await db.rows(forget, [worldId, id])
}

function toRef([worldId, id]: Row): ImageRef {
  return { worldId: String(worldId), id: String(id) }
}
