import { nameByText, type Transaction } from '@worlds/runtime/postgres'
import { seesSql } from '@worlds/views/view-sql'
import { type Member, viewOfMember } from '../domain/roll'
import type { Gain } from '../domain/view-moves'
import type { WorldState } from '../domain/world-state'
import { uuidArray } from './binary-array'

/**
 * Members that see an element which links to what they have just gained and which this batch does
 * not write: its body has changed for them, and nothing tells them (B7). Read after the batch was
 * loaded, which does no harm: the commit stands only if the world has not moved since. Whatever
 * else the batch itself brings into a view, or takes out of it, moves that view already.
 */
export async function seesCarriers(
  tx: Transaction,
  worldId: string,
  world: WorldState,
  gains: readonly Gain[],
): Promise<Set<string>> {
  const gained = new Map<Member, string[]>()
  for (const { member, id } of gains) gained.set(member, [...(gained.get(member) ?? []), id])
  const moved = new Set<string>()
  for (const [member, ids] of gained) {
    if (await seesCarrier(tx, worldId, member, ids, [...world.touched.keys()])) moved.add(member.id)
  }
  return moved
}

async function seesCarrier(
  tx: Transaction,
  worldId: string,
  member: Member,
  ids: readonly string[],
  written: readonly string[],
): Promise<boolean> {
  const values: unknown[] = [worldId, uuidArray(ids), uuidArray(written)]
  const text = `
    select 1
    from element.links l -- links_pkey
    join element.elements e on e.world_id = l.world_id and e.id = l.source_id -- elements_pkey
    where l.world_id = $1::uuid and l.target_id = any ($2::uuid[]) and e.id <> all ($3::uuid[])
      and ${seesSql(viewOfMember(member), 'e', (value) => `$${values.push(value)}`)}
    limit 1`
  return (await tx.rows(nameByText(text), values)).length > 0
}
