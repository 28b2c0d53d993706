import { invalid, RefusalError } from '@worlds/domain/errors'
import { readUuid } from '@worlds/domain/uuid'
import { fullView, publicView, type View } from '@worlds/domain/view'
import type { Database } from '@worlds/runtime/postgres'
import { findView } from '../store/find-view'

/** The caller's own view, or the one that its `as` names (L339 to L346). */
export async function viewOfRequest(database: Database, worldId: string, as: string): Promise<View> {
  if (as === '') return fullView
  if (as === 'public') return publicView
  const id = readUuid(as)
  const view = id === null ? null : await findView(database, worldId, id)
  if (view === null)
    throw new RefusalError(invalid('as', 'as takes a membership, a Character of this world, or public.'))
  return view
}
