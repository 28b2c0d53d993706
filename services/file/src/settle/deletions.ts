/** What goes with a deleted element, world or account. */
import type { Transaction } from '@worlds/runtime/postgres'
import { removedKey } from '@worlds/storage/object-keys'
import { accountRoom, worldRoom } from '@worlds/storage/rooms'
import type { Context } from '../context'
import { buryElements } from '../store/burials'
import { type Doomed, doom } from '../store/doomed'
import { markRemoved, type RemovedFile, removeOfElements, removeOfWorld } from '../store/file-states'
import { forgetImage } from '../store/image-rounds'
import { beginning, changeImage, type Image, listImagesOf, listWorldImages } from '../store/images'
import { addToAccount, addToWorld, closeWorld, endAccount, endPurge, lockAccount, lockWorld } from '../store/locks'
import { deleteBytesNow } from './bytes'

/** Gives one listed file up; null when it is listed no longer. Its bytes are the caller's to delete at once. */
export async function removeListed(
  context: Context,
  worldId: string,
  { id, key }: { readonly id: string; readonly key: string },
): Promise<Doomed[] | null> {
  return context.db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    const size = await markRemoved(tx, worldId, id)
    return size === null ? null : giveUp(context, tx, worldId, [{ id, key, size }])
  })
}

/** Files of the elements that were deleted at these places; those of elements made again since stay. */
export async function removeElements(
  context: Context,
  worldId: string,
  deleted: readonly { readonly id: string; readonly place: number }[],
): Promise<void> {
  const places = new Map<string, number>()
  for (const { id, place } of deleted) places.set(id, Math.max(place, places.get(id) ?? 0))
  const elements = [...places].map(([id, place]) => ({ id, place }))
  const doomed = await context.db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    await buryElements(tx, worldId, elements)
    return giveUp(context, tx, worldId, await removeOfElements(tx, worldId, elements))
  })
  await deleteBytesNow(context, doomed)
}

/** From now on nothing is listed in the world; what is takes as many steps as it needs. */
export async function removeWorld(context: Context, worldId: string): Promise<void> {
  const { db, rooms } = context
  await db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    await closeWorld(tx, worldId)
  })
  for (
    let doomed = await removeSome(context, worldId);
    doomed.length > 0;
    doomed = await removeSome(context, worldId)
  ) {
    await deleteBytesNow(context, doomed)
  }
  for (let images = await listWorldImages(db, worldId, beginning.id, 100); images.length > 0; ) {
    for (const image of images) await removeImage(context, image, true)
    images = await listWorldImages(db, worldId, images.at(-1)?.id ?? '', 100)
  }
  await rooms.forget(worldRoom(worldId))
  await endPurge(db, worldId)
}

/** Its images, wherever they are; files stay with their worlds. */
export async function removeAccount(context: Context, accountId: string): Promise<void> {
  const { db } = context
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    await endAccount(tx, accountId)
  })
  for (let after: Pick<Image, 'worldId' | 'id'> = beginning; ; ) {
    const images = await listImagesOf(db, accountId, 'listed', after, 100)
    for (const image of images) await removeImage(context, image, false)
    const last = images.at(-1)
    if (last === undefined) return
    after = last
  }
}

async function removeSome(context: Context, worldId: string): Promise<Doomed[]> {
  return context.db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    return giveUp(context, tx, worldId, await removeOfWorld(tx, worldId))
  })
}

async function giveUp(
  { config }: Context,
  tx: Transaction,
  worldId: string,
  files: readonly RemovedFile[],
): Promise<Doomed[]> {
  if (files.length === 0) return []
  const room = worldRoom(worldId)
  const doomed = files.map(({ id, key }) => ({ worldId, id, keys: [key], room }))
  await addToWorld(tx, worldId, -files.reduce((sum, { size }) => sum + size, 0))
  await doom(tx, doomed, config.settling.leaseMs)
  return doomed
}

/** Gives a listed image up. With its world even the mark goes that keeps its key from being taken again. */
export async function removeImage(context: Context, image: Image, withWorld: boolean): Promise<void> {
  const { db, config } = context
  const { worldId, id, accountId, key } = image
  if (key === null) return
  const doomed = await db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    await lockAccount(tx, accountId)
    const wasListed = await changeImage(tx, image, 'listed', 'removed')
    if (wasListed) await addToAccount(tx, accountId, -image.bytes)
    if (!wasListed && !withWorld) return []
    const keys = withWorld ? [key, removedKey(key)] : [key]
    const given = [{ worldId, id, keys, room: accountRoom(accountId) }]
    await doom(tx, given, config.settling.leaseMs)
    if (withWorld) await forgetImage(tx, image)
    return given
  })
  await deleteBytesNow(context, doomed)
}
