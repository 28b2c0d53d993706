/** `POST /v1/upload`: one ticket, one upload. A 201 is a promise that the bytes are listed. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileKinds, imageTypes } from '@worlds/storage/kinds'
import { mintedKey, mintedKeys } from '@worlds/storage/object-keys'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { UploadTicket } from '@worlds/storage/tickets'
import { enterRoom, judge, readLength, readTicket, spaceOf } from './admit'
import { checkFor, ImageCheck } from './check/checks'
import { claim, giveBack, holdClaim } from './claim'
import type { Context } from './context'
import { type Put, put } from './put'
import { type Received, receive } from './receive'
import { Refused } from './refusals'
import { spend } from './spend'
import { checkExtension, readXKey } from './x-key'

export async function upload(context: Context, request: IncomingMessage, response: ServerResponse): Promise<object> {
  const { ticket, objects } = await readTicket(context, request, (text) => context.tickets.upload(text))
  const mine = { ticket, token: randomUUID(), room: ticket.room }
  const { token } = mine
  const began = Date.now()
  const { bytes, xKey, before, entered } = await claim(
    context,
    mine,
    judge(() => ({ bytes: readLength(request, ticket), xKey: keyOf(request, ticket) })),
    ({ bytes }) => spaceOf(ticket, bytes),
  )
  let object: string = xKey ?? ticket.id
  const claimed = { ticket, token, bytes, before }
  const lease = holdClaim(context, claimed, began)
  let received: Received | undefined
  let isPut = false
  try {
    if (ticket.for === 'image' && before !== null) await refuseSecond(objects, ticket, before)
    await enterRoom(context, ticket, token, bytes, entered)
    if (request.headers.expect !== undefined) response.writeContinue()
    const taken = await takeIn(context, request, ticket, { token, bytes, xKey, signal: lease.signal })
    received = taken.received
    await lease.end()
    if (lease.signal.aborted) throw new Refused('exists')
    const stored: Put = { ...claimed, isChosen: isChosen(ticket, xKey), isCovered: lease.coversPut(), ...taken }
    object = stored.key
    const etag = await put(context, objects, stored)
    isPut = true
    await context.failpoints.reach('upload.put')
    await spend(context, objects, stored, began)
    await context.failpoints.reach('upload.spent')
    context.reports.add(ticket.id, { kind: ticket.for, worldId: ticket.worldId, id: ticket.id, key: object, bytes })
    return reply(stored, etag)
  } catch (error) {
    await lease.end()
    await giveBack(context, mine, object)
    throw error
  } finally {
    await received?.release(isPut)
  }
}

function keyOf({ headers }: IncomingMessage, ticket: UploadTicket): string | null {
  return ticket.for === 'image' ? readXKey(headers['x-key'] as string | undefined, ticket.prefix) : null
}

/** A host that died after its put has left an image under this ticket, perhaps under another key: it is settled soon. */
async function refuseSecond(objects: ObjectStore, ticket: UploadTicket, key: string): Promise<void> {
  const found = await objects.head(key).catch((error: unknown) => {
    throw new Refused('write_failed', undefined, { cause: error })
  })
  if (found?.metadata.ticket === ticket.id) throw new Refused('exists')
}

/** A key that would have been minted anyway needs no pointer to be found. */
function isChosen({ worldId, id }: UploadTicket, xKey: string | null): boolean {
  return xKey !== null && !mintedKeys(worldId, id).includes(xKey)
}

interface TakenIn {
  readonly received: Received
  readonly key: string
  readonly type: string
}

/** The body, once it is known to be what the ticket is for. */
async function takeIn(
  context: Context,
  request: IncomingMessage,
  ticket: UploadTicket,
  { token, bytes, xKey, signal }: { token: string; bytes: number; xKey: string | null; signal: AbortSignal },
): Promise<TakenIn> {
  if (ticket.for === 'file') {
    const check = checkFor(ticket.kind)
    const received = await receive(context, request, token, { bytes, check, isZip: ticket.kind === 'zip', signal })
    return { received, key: ticket.key, type: fileKinds.get(ticket.kind)?.mime ?? '' }
  }
  const check = new ImageCheck()
  const received = await receive(context, request, token, { bytes, check, isZip: false, signal })
  const { type } = check
  try {
    if (type === null) throw new Refused('unsupported_type')
    if (xKey !== null) checkExtension(xKey, type)
    return { received, key: xKey ?? mintedKey(ticket.worldId, ticket.id, type), type: imageTypes[type].mime }
  } catch (error) {
    await received.release(true)
    throw error
  }
}

function reply({ ticket, key, bytes, type }: Put, etag: string): object {
  if (ticket.for === 'file') return { key, fid: ticket.id, bytes, type, etag }
  return { key, bytes, type, etag, url: `${ticket.filesUrl}/${key}` }
}
