import { toTimestamp } from '@worlds/runtime/postgres'
import type { WorldRecord } from '../domain/facts'

/** Fields of the world row `w` as one JSON value; its timestamps are read beside it. */
export const recordSql = `jsonb_build_object(
        'name', w.name, 'description', w.description, 'image_url', w.image_url,
        'time_format_names', w.time_format_names, 'time_format_equivalents', w.time_format_equivalents,
        'time_basic_unit', w.time_basic_unit, 'time_range_min', w.time_range_min,
        'time_range_max', w.time_range_max, 'time_range_current', w.time_range_current,
        'public_read', w.public_read, 'owner_character', w.owner_character)`

export function readRecord(fields: unknown, createdAt: unknown, updatedAt: unknown): WorldRecord {
  const server = { created_at: toTimestamp(String(createdAt)), updated_at: toTimestamp(String(updatedAt)) }
  return { ...(JSON.parse(String(fields)) as WorldRecord), ...server }
}
