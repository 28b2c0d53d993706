import { invalidLink } from '@worlds/domain/errors'
import type { WorldRecord } from './facts'
import { type Answer, type Intent, refused } from './intent'
import type { WorldState } from './world-state'

/** Every field sent is applied, so an identical value moves `updated_at` too (L275). */
export function decideWorld(world: WorldState, worldId: string, { patch }: Extract<Intent, { kind: 'world' }>): Answer {
  const character = patch.owner_character
  if (typeof character === 'string' && world.categoryOf(character) !== 'character') {
    return refused(invalidLink('owner_character', 'character'))
  }
  return { kind: 'body', status: 200, body: showWorld(worldId, world.changeRecord(patch)) }
}

/** The record in the order in which it is documented. */
export function showWorld(id: string, record: WorldRecord): string {
  return JSON.stringify({
    id,
    name: record.name,
    description: record.description,
    image_url: record.image_url,
    time_format_names: record.time_format_names,
    time_format_equivalents: record.time_format_equivalents,
    time_basic_unit: record.time_basic_unit,
    time_range_min: record.time_range_min,
    time_range_max: record.time_range_max,
    time_range_current: record.time_range_current,
    public_read: record.public_read,
    owner_character: record.owner_character,
    created_at: record.created_at,
    updated_at: record.updated_at,
  })
}
