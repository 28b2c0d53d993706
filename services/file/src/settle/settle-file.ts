/**
 * Brings a file whose bytes are stored to its end: listed, or given up with its bytes. Told by the
 * upload host (then its 201 has promised the listing) or found by the rounds. Any number of times.
 */
import { worldFileBytes } from '@worlds/storage/kinds'
import { worldRoom } from '@worlds/storage/rooms'
import type { Context } from '../context'
import { listFile } from '../store/list-file'
import { deleteBytesNow } from './bytes'
import { ensureRoom } from './rooms'

export interface StoredBytes {
  readonly worldId: string
  readonly id: string
  readonly key: string
  readonly bytes: number
}

export async function settleFile(context: Context, stored: StoredBytes, isPromised: boolean): Promise<void> {
  const { db, rooms, failpoints, log, config } = context
  const { worldId, id, key, bytes } = stored
  const room = worldRoom(worldId)
  const hasRoom = isPromised || (await findRoom(context, room, id, bytes))
  if (hasRoom) await rooms.keep(room, id, bytes)
  await failpoints.reach('file.report')
  const outcome = await listFile(db, {
    ...stored,
    room,
    cap: worldFileBytes,
    hasRoom,
    dueInMs: config.settling.leaseMs,
  })
  await failpoints.reach('file.listed')
  if (outcome === 'listed' || outcome === 'settled') return
  // The room that the upload host entered keeps it from ever coming to this.
  if (outcome === 'over the cap') log.error({ ...stored }, 'a file was promised room that is not there')
  else log.info({ event: 'file-given-up', ...stored, outcome }, 'a stored file was given up')
  if (outcome !== 'unknown') await deleteBytesNow(context, [{ worldId, id, keys: [key], room }])
}

/** Bytes that nobody was promised a place for take one only where there is room. */
async function findRoom(context: Context, room: string, id: string, bytes: number): Promise<boolean> {
  await ensureRoom(context, room)
  const entered = await context.rooms.enter(room, id, bytes, 'found', worldFileBytes)
  if (entered === 'unknown') throw new Error('a room was lost again')
  return entered !== 'full'
}
