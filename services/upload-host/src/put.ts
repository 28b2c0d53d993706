/** Brings judged bytes under their key, and finds out what became of a put that was not answered. */
import { setTimeout as sleep } from 'node:timers/promises'
import { pointerKey, removedKey } from '@worlds/storage/object-keys'
import { isTransient, type ObjectStore } from '@worlds/storage/object-store'
import { type Claimed, claimAnew } from './claim'
import type { Context } from './context'
import type { Received } from './receive'
import { Refused } from './refusals'

const betweenMs = 100

export interface Put extends Claimed {
  readonly key: string
  /** The client chose the key: others may have had, or may want, the same. */
  readonly isChosen: boolean
  /** Its claim as it was made outlasts the put. */
  readonly isCovered: boolean
  readonly type: string
  readonly received: Received
}

/** The bare ETag of the stored object. */
export async function put(context: Context, objects: ObjectStore, upload: Put): Promise<string> {
  const { failpoints, log } = context
  const { ticket, key } = upload
  const begun = await begin(context, objects, upload).catch((error: unknown) => fail(error))
  if (begun !== 'putting') {
    log.info({ event: 'put-refused', ticket: ticket.id, key, why: begun }, 'another is at the ticket, or at its key')
    throw new Refused('exists')
  }
  try {
    if (upload.isChosen) await takeKey(objects, upload)
    await failpoints.reach('upload.before-put')
    const etag = await attempt(context, objects, upload)
    if (etag === null) {
      log.info({ event: 'put-refused', ticket: ticket.id, key, why: 'stored' }, 'another has put there')
      throw new Refused('exists')
    }
    if (upload.isChosen) await keepFree(objects, upload)
    return etag
  } catch (error) {
    throw error instanceof Refused ? error : fail(error)
  }
}

async function begin(context: Context, objects: ObjectStore, upload: Put): Promise<'putting' | 'lost' | 'taken'> {
  const { claims, rooms, limits } = context
  const { ticket, token, key } = upload
  // A file's key is its ticket's own; a store that lets one put of it in needs to be told nothing.
  if (ticket.for === 'file' && upload.isCovered && objects.putsOnce) return 'putting'
  const leaseMs = limits.putMs + limits.leaseMs
  const beginPut = () => {
    // The two travel together.
    rooms.renew(ticket.room, ticket.id, token, leaseMs).catch(() => undefined)
    return claims.beginPut(ticket, key, token, leaseMs)
  }
  const begun = await beginPut()
  return begun === 'lost' && (await claimAnew(context, upload)) ? beginPut() : begun
}

/** A removed image's key is never taken again; and the key must be found should nobody tell of it. */
async function takeKey(objects: ObjectStore, { ticket, key }: Put): Promise<void> {
  if ((await objects.head(removedKey(key))) !== null) throw new Refused('exists')
  await objects.mark(pointerKey(ticket.worldId, ticket.id), { key })
}

/** An image that was removed while this one was on its way has left its mark before its key was free. */
async function keepFree(objects: ObjectStore, upload: Put): Promise<void> {
  if ((await objects.head(removedKey(upload.key))) === null) return
  await takeBack(objects, upload)
  throw new Refused('exists')
}

/** Null when the key holds what others have put there. */
async function attempt({ limits }: Context, objects: ObjectStore, upload: Put): Promise<string | null> {
  const { ticket, token, key, type, bytes, received } = upload
  const until = performance.now() + limits.putMs
  // A file's key names its ticket.
  const metadata = { token, ...(ticket.for === 'image' ? { ticket: ticket.id } : {}) }
  const object = { key, bytes, type, metadata }
  for (let tries = 1; ; tries += 1) {
    try {
      const left = tries === 1 ? undefined : until - performance.now()
      const etag = await objects.put({ ...object, body: received.body() }, left)
      return etag ?? (await etagOf(objects, key, token))
    } catch (error) {
      const etag = await settledEtag(objects, key, token)
      if (etag !== null) return etag
      if (tries === 2 || !isTransient(error) || performance.now() + betweenMs >= until) throw error
      await sleep(betweenMs)
    }
  }
}

async function etagOf(objects: ObjectStore, key: string, token: string): Promise<string | null> {
  const found = await objects.head(key)
  return found?.metadata.token === token ? found.etag : null
}

/** What became of a put that was not answered: the store may need a moment to say so. */
async function settledEtag(objects: ObjectStore, key: string, token: string): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await etagOf(objects, key, token)
    } catch (error) {
      if (tries === 3) throw error
      await sleep(300)
    }
  }
}

/** Of an upload that cannot be ended as it was begun. */
export async function takeBack(objects: ObjectStore, { key, token }: Put): Promise<void> {
  if ((await etagOf(objects, key, token)) !== null) await objects.remove(key)
}

function fail(cause: unknown): never {
  throw new Refused('write_failed', undefined, { cause })
}
