import { sees } from '@worlds/domain/view'
import type { Transaction } from '@worlds/runtime/postgres'
import { viewOfMember } from '../domain/roll'
import type { Gain } from '../domain/view-moves'
import type { WorldState } from '../domain/world-state'
import { uuidArray } from './binary-array'

const statement = {
  name: 'read-carriers',
  text: `
    select l.target_id, e.id, e.created_by, k.id is not null, array_to_string(array(
        select c.target_id from element.links c -- links_by_source
        where c.world_id = e.world_id and c.source_id = e.id and c.field = 'characters'
      ), ',')
    from element.links l -- links_pkey
    join element.elements e on e.world_id = l.world_id and e.id = l.source_id -- elements_pkey
    left join element.marks k on k.world_id = e.world_id and k.id = e.id -- marks_pkey
    where l.world_id = $1::uuid and l.target_id = any ($2::uuid[])`,
}

/**
 * Members that see an element which links to what they have just gained and which this batch does
 * not write: its body has changed for them, and nothing tells them (B7). Read after the batch was
 * loaded, which does no harm: the commit stands only if the world has not moved since.
 */
export async function seesCarriers(
  tx: Transaction,
  worldId: string,
  world: WorldState,
  gains: readonly Gain[],
): Promise<Set<string>> {
  const moved = new Set<string>()
  if (gains.length === 0) return moved
  const rows = await tx.rows(statement, [worldId, uuidArray([...new Set(gains.map(({ id }) => id))])])
  for (const [target, source = '', createdBy = null, hidden, characters] of rows) {
    const id = String(source)
    if (world.touched.has(id)) continue
    const sight = {
      id,
      createdBy,
      hidden: hidden === 't',
      characters: characters ? characters.split(',') : [],
      onRoster: world.roster.has(id),
    }
    for (const { member, id: gained } of gains) {
      if (gained === target && sees(viewOfMember(member), sight)) moved.add(member.id)
    }
  }
  return moved
}
