/** Makes the books of a room anew from the rows, after Redis has lost them. */
import type { Transaction } from '@worlds/runtime/postgres'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { Context } from '../context'
import { listOpen, listSizes } from '../store/file-states'
import { beginning, type Image, listImagesOf, listRemovedOf } from '../store/images'
import { lockAccount, lockWorld } from '../store/locks'
import { findImageBytes } from './find-image'

/** Objects that are asked for at once. */
const atOnce = 10

/** Many may ask at once; one looks. */
export async function ensureRoom(context: Context, room: string): Promise<void> {
  if ((await context.rooms.booked(room)) !== null) return
  const { filling } = context
  const underWay = filling.get(room) ?? fillRoom(context, room).finally(() => filling.delete(room))
  filling.set(room, underWay)
  await underWay
}

/** Bytes that nobody was promised a place for take one only where there is room. */
export async function findRoom(
  context: Context,
  room: string,
  id: string,
  bytes: number,
  holds: number,
): Promise<boolean> {
  await ensureRoom(context, room)
  const { leaseMs } = context.config.settling
  const entered = await context.rooms.enter(room, id, bytes, 'found', { holds, leaseMs })
  if (entered === 'unknown') throw new Error('a room was lost again')
  return entered !== 'full'
}

/**
 * A Redis that went back in time has forgotten entries, not the room: what is listed is always in its books. Called
 * under the lock of its files, so that none is listed meanwhile.
 */
export async function checkRoom({ rooms, log }: Context, room: string, usedBytes: number): Promise<void> {
  const booked = await rooms.booked(room)
  if (booked === null || booked >= usedBytes) return
  log.warn({ event: 'room-short', room, booked, usedBytes }, 'the books of a room are short, and made anew')
  await rooms.forget(room)
}

interface Lost {
  readonly room: string
  readonly loss: string
}

async function fillRoom(context: Context, room: string): Promise<void> {
  const [of, id = ''] = room.split(':')
  const loss = await context.rooms.lossOf(room)
  if (loss === null) return
  const fill = of === 'world' ? fillWorldRoom : fillAccountRoom
  if (await fill(context, { room, loss }, id)) {
    context.log.info({ event: 'room-filled', room }, 'the books of a room were made anew')
  } else if ((await context.rooms.booked(room)) === null) throw new Error('a room was lost again')
}

/**
 * Bytes that are stored and not yet reported may be promised to somebody, so they count. The store is
 * asked before the lock is taken: what comes later is promised nothing before it has entered anew.
 * Under the lock nothing is listed or removed meanwhile.
 */
async function fillWorldRoom(
  { db, rooms, objects, config }: Context,
  { room, loss }: Lost,
  worldId: string,
): Promise<boolean> {
  const { ticketLifeMs, graceMs } = config.uploads
  const found = await inTurns(await listOpen(db, worldId), (file) => sizeOf(objects, file.id, file.key))
  return db.transaction(async (tx) => {
    await lockWorld(tx, worldId)
    const entries = await listSizes(tx, worldId, ticketLifeMs + graceMs)
    const open = new Set((await listOpen(tx, worldId)).map(({ id }) => id))
    return rooms.fill(room, loss, [...entries, ...found.filter(({ id }) => open.has(id))])
  })
}

async function fillAccountRoom(
  { db, rooms, objects, config }: Context,
  { room, loss }: Lost,
  accountId: string,
): Promise<boolean> {
  const { ticketLifeMs, graceMs } = config.uploads
  const reserved = (tx: Transaction) => all((after) => listImagesOf(tx, accountId, 'reserved', after, 1_000))
  const found = await inTurns(await reserved(db), async (image) => {
    const found = objects === null ? null : await findImageBytes(objects, image)
    return found === null ? null : { id: image.id, bytes: found.bytes, token: found.token }
  })
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const listed = await all((after) => listImagesOf(tx, accountId, 'listed', after, 1_000))
    const open = new Set((await reserved(tx)).map(({ id }) => id))
    // Those that went already take nothing, but their tickets are not to be used again.
    const gone = await listRemovedOf(tx, accountId, ticketLifeMs + graceMs)
    const entries = [...listed, ...found.filter(({ id }) => open.has(id)), ...gone.map((id) => ({ id, bytes: 0 }))]
    return rooms.fill(room, loss, entries)
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
  return found ? { id, bytes: found.bytes, token: found.metadata.token } : null
}

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R | null>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    const some = await Promise.all(items.slice(start, start + atOnce).map(work))
    for (const result of some) if (result !== null) results.push(result)
  }
  return results
}
