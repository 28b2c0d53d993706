import type { Statement, Transaction } from '@worlds/runtime/postgres'

const bury: Statement = {
  name: 'bury-elements',
  text: `
    insert into file.burials as b (world_id, element_id, place)
    select $1::uuid, d.id, d.place from unnest($2::uuid[], $3::bigint[]) as d (id, place)
    on conflict on constraint burials_pkey do update
    set place = greatest(b.place, excluded.place), buried_at = now()`,
}

export async function buryElements(
  tx: Transaction,
  worldId: string,
  elements: readonly { readonly id: string; readonly place: number }[],
): Promise<void> {
  await tx.rows(bury, [worldId, elements.map(({ id }) => id), elements.map(({ place }) => place)])
}

const find: Statement = {
  name: 'is-buried',
  text: `
    select 1 from file.burials b
    where b.world_id = $1::uuid and b.element_id = $2::uuid and b.place > $3::bigint`,
}

/** Whether the element that was born at a place has been deleted, as far as this service was told. */
export async function isBuried(tx: Transaction, worldId: string, elementId: string, birth: number): Promise<boolean> {
  return (await tx.rows(find, [worldId, elementId, birth])).length > 0
}

/** Every ticket that was issued before a burial of that age has been settled since. */
export async function forgetBurials(db: Transaction, olderMs: number): Promise<void> {
  await db.rows(
    {
      name: 'forget-burials',
      text: `delete from file.burials b where b.buried_at < now() - $1::bigint * interval '1 millisecond'`,
    },
    [olderMs],
  )
}
