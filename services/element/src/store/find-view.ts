import { characterView, type Role, type View, viewOf } from '@worlds/domain/view'
import type { Database } from '@worlds/runtime/postgres'

/** The view of a member or of a Character of this world; a membership is tried first. Null for neither. */
export async function findView(database: Database, worldId: string, id: string): Promise<View | null> {
  const [row] = await database.rows(
    {
      name: 'find-view',
      text: `
        select m.role, m.character, e.id
        from (select $1::uuid as world_id, $2::uuid as id) as one
        left join element.members m -- members_pkey
          on m.world_id = one.world_id and m.member_id = one.id and m.status = 'active' and m.kind <> 'owner'
        left join element.elements e -- elements_pkey
          on e.world_id = one.world_id and e.id = one.id and e.type = 'character'`,
    },
    [worldId, id],
  )
  const [role = null, character = null, element = null] = row ?? []
  if (role !== null) return viewOf(role as Role, id, character)
  return element === null ? null : characterView(id)
}
