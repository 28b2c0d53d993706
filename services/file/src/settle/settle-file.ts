/**
 * Brings a file whose bytes are stored to its end: listed, or given up with its bytes. Told by the
 * upload host (then its 201 has promised the listing) or found by the rounds. Any number of times.
 */
import type { Transaction } from '@worlds/runtime/postgres'
import { worldFileBytes } from '@worlds/storage/kinds'
import { worldRoom } from '@worlds/storage/rooms'
import type { Context } from '../context'
import { isBuried } from '../store/burials'
import { type Doomed, doom } from '../store/doomed'
import { type FileState, markListed, markVoid, readFileState } from '../store/file-states'
import { addToWorld, lockWorld } from '../store/locks'
import { deleteBytesNow } from './bytes'
import { ensureRoom } from './rooms'

export async function settleFile(
  context: Context,
  { worldId, id, bytes }: { readonly worldId: string; readonly id: string; readonly bytes: number },
  isPromised: boolean,
): Promise<void> {
  const { db, rooms, failpoints, config } = context
  const room = worldRoom(worldId)
  const hasRoom = isPromised || (await findRoom(context, room, id, bytes))
  if (hasRoom) await rooms.keep(room, id, bytes)
  await failpoints.reach('file.report')
  const doomed = await db.transaction(async (tx) => {
    const world = await lockWorld(tx, worldId)
    const file = await readFileState(tx, worldId, id)
    if (file === null || file.state === 'listed' || file.state === 'removed') return []
    const reason = await whyNot(tx, file, world, hasRoom, bytes)
    if (reason === null) {
      await markListed(tx, worldId, id, bytes)
      await addToWorld(tx, worldId, bytes)
      return []
    }
    if (reason === 'over the cap')
      context.log.error({ worldId, id, bytes }, 'a file was promised room that is not there')
    await markVoid(tx, worldId, id)
    const given: Doomed[] = [{ worldId, id, keys: [file.key], room }]
    await doom(tx, given, config.settling.leaseMs)
    return given
  })
  await failpoints.reach('file.listed')
  await deleteBytesNow(context, doomed)
}

async function whyNot(
  tx: Transaction,
  file: FileState,
  world: { readonly usedBytes: number; readonly closed: boolean },
  hasRoom: boolean,
  bytes: number,
): Promise<string | null> {
  if (file.state === 'void') return 'too late'
  if (world.closed || (await isBuried(tx, file.worldId, file.elementId, file.birth))) return 'nobody owns it'
  if (!hasRoom) return 'no room'
  // The room that the upload host entered keeps it from ever coming to this.
  return world.usedBytes + bytes > worldFileBytes ? 'over the cap' : null
}

/** Bytes that nobody was promised a place for take one only where there is room. */
async function findRoom(context: Context, room: string, id: string, bytes: number): Promise<boolean> {
  await ensureRoom(context, room)
  const entered = await context.rooms.enter(room, id, bytes, 'found', worldFileBytes)
  if (entered === 'unknown') throw new Error('a room was lost again')
  return entered !== 'full'
}
