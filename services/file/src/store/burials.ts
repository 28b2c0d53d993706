import type { Statement, Transaction } from '@worlds/runtime/postgres'

const bury: Statement = {
  name: 'bury-elements',
  text: `
    insert into file.burials as b (world_id, element_id, place)
    select $1::uuid, d.id, max(d.place) from unnest($2::uuid[], $3::bigint[]) as d (id, place)
    -- One commit may delete what it has made again under the same id.
    group by d.id
    order by d.id
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

/** Of that age, where no ticket of the element is left to be settled. */
export async function forgetBurials(db: Transaction, olderMs: number): Promise<void> {
  await db.rows(
    {
      name: 'forget-burials',
      text: `
        delete from file.burials b
        where (b.world_id, b.element_id) in (
          select o.world_id, o.element_id
          from file.burials o -- burials_by_age
          where o.buried_at < now() - $1::bigint * interval '1 millisecond' and not exists (
            select from file.files f -- files_open
            where f.world_id = o.world_id and f.state = 'reserved' and f.element_id = o.element_id)
          for update skip locked)`,
    },
    [olderMs],
  )
}
