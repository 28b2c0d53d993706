/** Makes the books of a room anew from the rows, after Redis has lost them. */
import type { ObjectStore } from '@worlds/storage/object-store'
import type { Context } from '../context'
import { listOpen, listSizes } from '../store/file-states'
import { beginning, type Image, listImagesOf, listRemovedOf } from '../store/images'
import { lockAccount, lockWorld } from '../store/locks'
import { findImageBytes } from './find-image'

/** Objects that are asked for at once. */
const atOnce = 10

export async function ensureRoom(context: Context, room: string): Promise<void> {
  if (await context.rooms.isComplete(room)) return
  const [of, id = ''] = room.split(':')
  if (of === 'world') await fillWorldRoom(context, room, id)
  else await fillAccountRoom(context, room, id)
  context.log.info({ event: 'room-filled', room }, 'the books of a room were made anew')
}

/**
 * Under the lock nothing is listed or removed meanwhile. Bytes that are stored and not yet reported
 * are promised to somebody, so they count; an upload that is still on its way enters anew.
 */
async function fillWorldRoom({ db, rooms, objects, config }: Context, room: string, worldId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    const { ticketLifeMs, graceMs } = config.uploads
    const entries = await listSizes(tx, worldId, ticketLifeMs + graceMs)
    const open = objects === null ? [] : await listOpen(tx, worldId)
    const found = await inTurns(open, (file) => sizeOf(objects, file.id, file.key))
    await rooms.fill(room, [...entries, ...found])
  })
}

async function fillAccountRoom(
  { db, rooms, objects, config }: Context,
  room: string,
  accountId: string,
): Promise<void> {
  const { ticketLifeMs, graceMs } = config.uploads
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const listed = await all((after) => listImagesOf(tx, accountId, 'listed', after, 1_000))
    const open = await all((after) => listImagesOf(tx, accountId, 'reserved', after, 1_000))
    const found = await inTurns(open, async (image) => {
      const bytes = objects === null ? null : await findImageBytes(objects, image)
      return bytes === null ? null : { id: image.id, bytes: bytes.bytes }
    })
    // Those that went already take nothing, but their tickets are not to be used again.
    const gone = await listRemovedOf(tx, accountId, ticketLifeMs + graceMs)
    const entries = [...listed, ...found, ...gone.map((id) => ({ id, bytes: 0 }))]
    await rooms.fill(room, entries)
  })
}

async function all(page: (after: Pick<Image, 'worldId' | 'id'>) => Promise<Image[]>): Promise<Image[]> {
  const images: Image[] = []
  for (let next = await page(beginning); next.length > 0; next = await page(next.at(-1) ?? beginning)) {
    images.push(...next)
  }
  return images
}

async function sizeOf(objects: ObjectStore | null, id: string, key: string) {
  const found = await objects?.head(key)
  return found ? { id, bytes: found.bytes } : null
}

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R | null>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    const some = await Promise.all(items.slice(start, start + atOnce).map(work))
    for (const result of some) if (result !== null) results.push(result)
  }
  return results
}
