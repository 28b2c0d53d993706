/** The same for images, whose storage is their account's. */
import type { Transaction } from '@worlds/runtime/postgres'
import { imagePrefix, pointerKey, removedKey } from '@worlds/storage/object-keys'
import { accountRoom } from '@worlds/storage/rooms'
import type { Context } from '../context'
import { type Doomed, doom } from '../store/doomed'
import { changeImage, findImage, markImageListed, readImage } from '../store/images'
import { addToAccount, lockAccount, lockWorld } from '../store/locks'
import { deleteBytesNow } from './bytes'
import { removeImage } from './deletions'
import { findRoom } from './rooms'
import type { Promised, StoredBytes } from './settle-file'

export async function settleImage(context: Context, stored: StoredBytes, promised: Promised): Promise<void> {
  const { db, rooms, objects, failpoints, log } = context
  const { worldId, id, key, bytes } = stored
  const known = await readImage(db, worldId, id)
  if (known === null) return removeUnknown(context, stored)
  const room = accountRoom(known.accountId)
  const hasRoom = promised === 'yes' || (await findRoom(context, room, id, bytes, context.config.imageBytesCap))
  if (hasRoom) await rooms.keep(room, id, bytes)
  else if (promised === 'perhaps') log.error({ ...stored }, 'an image was promised room that is not there')
  await failpoints.reach('file.report')
  const doomed = await db.transaction((tx) => listOrGiveUp(context, tx, stored, known.accountId, hasRoom))
  await failpoints.reach('file.listed')
  await deleteBytesNow(context, doomed)
  // Where the key was minted from the id nothing pointed to it.
  if (!key.startsWith(`${imagePrefix(worldId)}${id}.`)) await objects?.remove(pointerKey(worldId, id))
}

/** Its row was given up so long ago that it is gone. */
async function removeUnknown({ objects, log }: Context, { worldId, id, key }: StoredBytes): Promise<void> {
  log.warn({ worldId, id, key }, 'an image was reported that nobody knows')
  if ((await objects?.head(key))?.metadata.ticket === id) await objects?.remove(key)
}

async function listOrGiveUp(
  { config, log }: Context,
  tx: Transaction,
  { worldId, id, key, bytes }: StoredBytes,
  accountId: string,
  hasRoom: boolean,
): Promise<Doomed[]> {
  const world = await lockWorld(tx, worldId)
  const account = await lockAccount(tx, accountId)
  const image = await readImage(tx, worldId, id)
  if (image?.state === 'listed') return []
  // With its world even the mark goes that its deletion leaves.
  const keys = world.closed ? [key, removedKey(key)] : [key]
  const doomed = [{ worldId, id, keys, room: accountRoom(accountId) }]
  if (image === null || image.state === 'removed') {
    // Told again after it went: what was entered for it just now, and bytes put since, are nobody's.
    await doom(tx, doomed, config.settling.leaseMs)
    return doomed
  }
  const isOver = account.usedBytes + bytes > config.imageBytesCap
  // Another image was removed from the key: it is never taken again.
  const isTaken = (await findImage(tx, worldId, key)) !== null
  if (image.state === 'reserved' && hasRoom && !world.closed && !account.gone && !isOver && !isTaken) {
    await markImageListed(tx, image, key, bytes)
    await addToAccount(tx, accountId, bytes)
    return []
  }
  if (hasRoom && isOver) log.error({ worldId, id, bytes, accountId }, 'an image was promised room that is not there')
  await changeImage(tx, image, 'reserved', 'void')
  await doom(tx, doomed, config.settling.leaseMs)
  return doomed
}

/** An image is gone that a removal ticket was issued for: the upload host tells, or whoever has looked. */
export async function settleRemoval(context: Context, worldId: string, key: string): Promise<void> {
  const image = await findImage(context.db, worldId, key)
  if (image !== null) await removeImage(context, image, false)
}
