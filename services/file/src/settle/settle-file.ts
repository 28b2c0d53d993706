/**
 * Brings a file whose bytes are stored to its end: listed, or given up with its bytes. Told by the
 * upload host (then its 201 has promised the listing) or found by the rounds. Any number of times.
 */
import { worldFileBytes } from '@worlds/storage/kinds'
import { worldRoom } from '@worlds/storage/rooms'
import type { Context } from '../context'
import { doom } from '../store/doomed'
import { readFileState } from '../store/file-states'
import { lockWorld } from '../store/locks'
import { deleteBytesNow } from './bytes'
import { findRoom } from './rooms'

export interface StoredBytes {
  readonly worldId: string
  readonly id: string
  readonly key: string
  readonly bytes: number
}

/** By a report, yes; by a used ticket perhaps, for its host may have died before it answered. */
export type Promised = 'yes' | 'perhaps' | 'unknown'

export async function settleFile(context: Context, stored: StoredBytes, promised: Promised): Promise<void> {
  const { listings, failpoints, log } = context
  const { worldId, id, key, bytes } = stored
  const room = worldRoom(worldId)
  const hasRoom = promised === 'yes' || (await findRoom(context, room, id, bytes, worldFileBytes))
  await failpoints.reach('file.report')
  const outcome = await listings.list({ ...stored, hasRoom })
  await failpoints.reach('file.listed')
  if (outcome === 'listed') return
  if (outcome === 'settled' || outcome === 'unknown') return endRepeated(context, stored)
  // The room that the upload host entered keeps it from ever coming to this.
  if (outcome === 'over the cap' || (outcome === 'no room' && promised === 'perhaps')) {
    log.error({ ...stored, outcome }, 'a file was promised room that is not there')
  } else log.info({ event: 'file-given-up', ...stored, outcome }, 'a stored file was given up')
  await deleteBytesNow(context, [{ worldId, id, keys: [key], room }])
}

/** Told again after the file went: what was entered for it just now, and bytes put since, are nobody's. */
async function endRepeated(context: Context, { worldId, id, key }: StoredBytes): Promise<void> {
  const doomed = await context.db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    if ((await readFileState(tx, worldId, id))?.state === 'listed') return []
    const given = [{ worldId, id, keys: [key], room: worldRoom(worldId) }]
    await doom(tx, given, context.config.settling.leaseMs)
    return given
  })
  await deleteBytesNow(context, doomed)
}
