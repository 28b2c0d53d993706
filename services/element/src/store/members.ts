import { type Database, toInteger } from '@worlds/runtime/postgres'
import type { Standing } from './read-element'

export interface Roll extends Standing {
  readonly worldName: string
  readonly ownerCharacter: string | null
}

/** The roll as far as there is one: the owner, whose Character is the world's `owner_character`. */
export async function readRoll(database: Database, worldId: string): Promise<Roll> {
  const [row] = await database.rows(
    {
      name: 'read-roll',
      text: `
        select h.auth_version, w.name, w.owner_character
        from element.world_heads h
        join element.worlds w on w.world_id = h.world_id
        join element.members m on m.world_id = h.world_id and m.kind = 'owner'
        where h.world_id = $1::uuid and not h.closed`,
    },
    [worldId],
  )
  if (row === undefined) return { authVersion: null, worldName: '', ownerCharacter: null }
  return { authVersion: toInteger(row[0]), worldName: String(row[1]), ownerCharacter: row[2] ?? null }
}
