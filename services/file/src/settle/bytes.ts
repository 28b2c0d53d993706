/** Deletes bytes that no row owns any longer, and gives their room back. */
import { removedKey } from '@worlds/storage/object-keys'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { Context } from '../context'
import { type Doomed, endDoomed } from '../store/doomed'

/** What fails now is tried again by the rounds. */
export async function deleteBytesNow(context: Context, doomed: readonly Doomed[]): Promise<void> {
  for (const one of doomed) {
    await deleteBytes(context, one).catch((error: unknown) =>
      context.log.warn({ err: error, worldId: one.worldId, id: one.id }, 'bytes are deleted later'),
    )
  }
}

async function deleteBytes({ objects, rooms, db, failpoints }: Context, doomed: Doomed): Promise<void> {
  if (objects === null) throw new Error('no object store is configured')
  await failpoints.reach('file.doomed')
  // Each is tried though the other may fail: neither has to wait for what the other waits for.
  const ends = await Promise.allSettled([deleteKeys(objects, doomed), rooms.leave(doomed.room, doomed.id)])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  await endDoomed(db, doomed)
}

async function deleteKeys(objects: ObjectStore, { keys, id }: Doomed): Promise<void> {
  for (const key of keys) {
    // An image's key is never taken again.
    if (key.startsWith('u/')) await objects.mark(removedKey(key), { id })
    await objects.remove(key)
  }
}
