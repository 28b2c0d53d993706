/**
 * Finds files whose element or world is gone, although nobody told: Redis may have lost what was on
 * its way. What is mended is what the lost job would have done.
 */
import type { Context } from './context'
import { removeElements, removeWorld } from './settle/deletions'
import type { FileRow } from './store/reconcile'

export interface Orphans {
  readonly rows: readonly FileRow[]
  /** Null for what is told alone. */
  readonly repair: (() => Promise<void>) | null
}

export async function findOrphans(context: Context, rows: readonly FileRow[]): Promise<Orphans[]> {
  const worlds = new Map<string, FileRow[]>()
  for (const row of rows) worlds.set(row.worldId, [...(worlds.get(row.worldId) ?? []), row])
  const found: Orphans[] = []
  for (const [worldId, files] of worlds) {
    const { world, births } = await context.sight.births(worldId, [...new Set(files.map(({ elementId }) => elementId))])
    // One that element does not even know is told, and left: it may be element that has lost it.
    if (world !== 'open') {
      const repair = world === 'closed' ? () => removeWorld(context, worldId) : null
      found.push({ rows: files, repair })
      continue
    }
    const orphans = files.filter(({ elementId, birth }) => births.get(elementId) !== birth)
    // Gone at whatever place it was: what was born later is another's.
    const gone = orphans.map(({ elementId, birth }) => ({ id: elementId, place: birth + 1 }))
    if (gone.length > 0) found.push({ rows: orphans, repair: () => removeElements(context, worldId, gone) })
  }
  return found
}
