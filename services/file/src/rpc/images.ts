import {
  noSuch,
  notAdder,
  notFound,
  quotaExceeded,
  removalInFlight,
  storageFull,
  uploadPending,
} from '@worlds/domain/errors'
import type { Principal__Output as Principal } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { GetStorageRequest__Output } from '@worlds/proto/generated/worlds/file/v1/GetStorageRequest'
import type { ImageRequest__Output } from '@worlds/proto/generated/worlds/file/v1/ImageRequest'
import type { Storage } from '@worlds/proto/generated/worlds/file/v1/Storage'
import { principalOf } from '@worlds/runtime/refusals'
import { maxImageBytes } from '@worlds/storage/kinds'
import { imagePrefix } from '@worlds/storage/object-keys'
import { accountRoom } from '@worlds/storage/rooms'
import { type ImageTicket, type RemovalTicket, signTicket } from '@worlds/storage/tickets'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { readImageInput, readRemovalInput } from '../domain/image-input'
import { checkRoom, ensureRoom } from '../settle/rooms'
import { beginImageRemoval, findImage, hasOpenTicket, type Image, type NewImage, reserveImage } from '../store/images'
import { lockAccount, lockWorld, readStorage } from '../store/locks'
import { expiry, uploadsOf } from './create-ticket'
import { counted, ok, refuse } from './reply'

/** A ticket for one image, which the account of the key pays for with its storage (D13). */
export async function createImageTicket(context: Context, request: ImageRequest__Output): Promise<Reply> {
  const principal = principalOf(request)
  readImageInput(request.body)
  await context.sight.findAll(principal, [])
  const { signingKey, url } = uploadsOf(context)
  const { world_id: worldId, account: accountId } = principal
  const room = accountRoom(accountId)
  await counted(ensureRoom(context, room))

  const membership = principal.membership === '' ? null : principal.membership
  const image = { worldId, id: uuidv7(), accountId, membership }
  const left = await reserve(context, image)
  const ticket: ImageTicket = {
    for: 'image',
    id: image.id,
    worldId,
    prefix: imagePrefix(worldId),
    filesUrl: context.links.base,
    maxBytes: Math.min(maxImageBytes, left),
    room,
    roomBytes: context.config.imageBytesCap,
    exp: expiry(context),
  }
  const { prefix, maxBytes, exp } = ticket
  const issued_to = { account: accountId, membership }
  const signed = await signTicket(signingKey, ticket)
  return ok(201, {
    ticket: signed,
    upload_url: url,
    prefix,
    max_bytes: maxBytes,
    exp,
    uses: 1,
    issued_to,
    kind: 'image',
  })
}

async function reserve(context: Context, image: NewImage): Promise<number> {
  const { db, quotas, config } = context
  const { ticketLifeMs, graceMs } = config.uploads
  return db.transaction(async (tx) => {
    const world = await lockWorld(tx, image.worldId)
    const account = await lockAccount(tx, image.accountId)
    if (world.closed || account.gone) return refuse(notFound())
    const left = config.imageBytesCap - account.usedBytes
    if (left <= 0) refuse(storageFull())
    await counted(checkRoom(context, accountRoom(image.accountId), account.usedBytes))
    const waitMs = await counted(quotas.takeImage(tx, image.worldId))
    if (waitMs > 0) refuse(quotaExceeded('image tickets', Math.ceil(waitMs / 1000)))
    await reserveImage(tx, image, ticketLifeMs + graceMs)
    return left
  })
}

export async function createRemovalTicket(context: Context, request: ImageRequest__Output): Promise<Reply> {
  const principal = principalOf(request)
  const key = readRemovalInput(request.body, principal.world_id)
  const url = `${context.links.base}/${key}`
  const referenced = await context.sight.hasImageUrl(principal, url)
  const image = await findListed(context, principal, key)
  if (principal.membership !== '' && principal.account !== image.accountId) refuse(notAdder())
  if (image.removalMs > 0) refuse(inFlight(image))
  const uploads = uploadsOf(context)
  const { ticketLifeMs } = context.config.uploads
  if (!(await beginImageRemoval(context.db, image, ticketLifeMs))) {
    refuse(inFlight(await findListed(context, principal, key)))
  }
  const exp = expiry(context)
  const { worldId, bytes } = image
  const ticket: RemovalTicket = { for: 'removal', id: uuidv7(), worldId, key, bytes, exp }
  const signed = await signTicket(uploads.signingKey, ticket)
  return ok(200, { ticket: signed, remove_url: uploads.url.replace(/upload$/, 'remove'), exp, key, referenced })
}

function inFlight({ removalMs }: Image) {
  return removalInFlight(Math.max(Math.ceil(removalMs / 1000), 1))
}

/** While a ticket of the world is open its image may come under the key (D14); a removed one never comes back. */
async function findListed({ db, config }: Context, { world_id: worldId }: Principal, key: string): Promise<Image> {
  const image = await findImage(db, worldId, key)
  if (image?.state === 'listed') return image
  const mayCome = image === null && (await hasOpenTicket(db, worldId, config.uploads.ticketLifeMs))
  return refuse(mayCome ? uploadPending() : noSuch('image'))
}

export async function getStorage({ db, config }: Context, { account_id }: GetStorageRequest__Output): Promise<Storage> {
  return { used_bytes: await readStorage(db, account_id), cap_bytes: config.imageBytesCap }
}
