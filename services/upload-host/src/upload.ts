/** `POST /v1/upload`: one ticket, one upload. A 201 is a promise that the bytes are listed. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Jobs } from '@worlds/runtime/queues'
import type { Spent } from '@worlds/storage/claims'
import { fileKinds, imageTypes } from '@worlds/storage/kinds'
import { mintedKey, mintedKeys } from '@worlds/storage/object-keys'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { UploadTicket } from '@worlds/storage/tickets'
import { askForRoom, claim, enterRoom, judge, readLength, readTicket, spaceOf } from './admit'
import { checkFor, ImageCheck } from './check/checks'
import type { Context } from './context'
import { type Put, put, takeBack } from './put'
import { type Received, receive } from './receive'
import { Refused } from './refusals'
import { checkExtension, readXKey } from './x-key'

export async function upload(context: Context, request: IncomingMessage, response: ServerResponse): Promise<object> {
  const { ticket, objects } = await readTicket(context, request, (text) => context.tickets.upload(text))
  const token = randomUUID()
  const began = Date.now()
  const { bytes, xKey, before, entered } = await claim(
    context,
    ticket,
    token,
    judge(() => ({ bytes: readLength(request, ticket), xKey: keyOf(request, ticket) })),
    ({ bytes }) => spaceOf(ticket, bytes),
  )
  let object: string = xKey ?? ticket.id
  const lease = holdClaim(context, ticket, token)
  let received: Received | undefined
  try {
    if (ticket.for === 'image' && before !== null) await refuseSecond(objects, ticket, before)
    await enterRoom(context, ticket, token, bytes, entered)
    if (request.headers.expect !== undefined) response.writeContinue()
    const taken = await takeIn(context, request, ticket, { token, bytes, xKey, signal: lease.signal })
    received = taken.received
    lease.end()
    const stored: Put = { ticket, token, bytes, isChosen: isChosen(ticket, xKey), ...taken }
    object = stored.key
    const etag = await put(context, objects, stored)
    await context.failpoints.reach('upload.put')
    await spend(context, objects, stored, began)
    await context.failpoints.reach('upload.spent')
    void report(context, stored)
    return reply(stored, etag)
  } catch (error) {
    lease.end()
    await giveUp(context, ticket, object, token)
    throw error
  } finally {
    await received?.release()
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
    await received.release()
    throw error
  }
}

/** Renews claim and room while the body comes; aborts when the claim was lost all the same. */
function holdClaim({ claims, rooms, limits }: Context, ticket: UploadTicket, token: string) {
  const lost = new AbortController()
  const timer = setInterval(() => {
    // A place that was lost is looked for again before anything is promised.
    rooms.renew(ticket.room, ticket.id, token, limits.leaseMs).catch(() => undefined)
    claims.renew(ticket, token, limits.leaseMs).then(
      (holds) => holds || lost.abort(),
      // Redis may be back before the lease is over.
      () => undefined,
    )
  }, limits.leaseMs / 3)
  return { signal: lost.signal, end: () => clearInterval(timer) }
}

/** Nobody can use the ticket again; without that there is no promise, and nothing stays. */
async function spend(context: Context, objects: ObjectStore, stored: Put, began: number): Promise<void> {
  const { ticket, token } = stored
  const { bodyMs, putMs } = context.limits
  try {
    // Later the file service may have given the ticket up.
    if (Date.now() - began < bodyMs + putMs && (await isSpent(context, stored))) return
  } catch (error) {
    context.log.warn({ err: error, ticket: ticket.id, token }, 'a ticket could not be spent')
  }
  await takeBack(objects, stored).catch((error: unknown) =>
    context.log.warn({ err: error, key: stored.key }, 'bytes of an upload that failed are left to the file service'),
  )
  throw new Refused('write_failed')
}

/** Redis may have lost the room meanwhile, or the claim: no promise is given without both. */
async function isSpent(context: Context, stored: Put): Promise<boolean> {
  const { ticket, token } = stored
  for (let tries = 1; tries <= 10; tries += 1) {
    const outcome = await spendWithRoom(context, stored)
    if (outcome === 'spent') return true
    if (outcome === 'full') return false
    if (outcome === 'lost') {
      const { outcome } = await context.claims.claim(ticket, token, context.limits.leaseMs)
      if (outcome !== 'claimed') return false
    } else {
      await askForRoom(context, ticket)
      await sleep(200)
    }
  }
  return false
}

/** Enters the room once more, for good: what is promised holds its place until it is settled. */
async function spendWithRoom({ claims, rooms, limits }: Context, { ticket, token, bytes }: Put): Promise<Spent> {
  const keepMs = Math.max(ticket.exp * 1000 - Date.now(), 0) + limits.bodyMs + limits.putMs
  const space = spaceOf(ticket, bytes)
  if (space !== null) return claims.spend(ticket, token, keepMs, space)
  // Sent together; a ticket that was spent for nothing is released like any other.
  const spending = claims.spend(ticket, token, keepMs)
  spending.catch(() => undefined)
  const { room, id, roomBytes: holds } = ticket
  const entered = await rooms.enter(room, id, bytes, token, { holds, leaseMs: 0 })
  return entered === 'full' || entered === 'unknown' ? entered : spending
}

/** Nobody waits for it. Whatever becomes of it the 201 stands: what is not reported is found by the file service. */
async function report({ reports, log }: Context, { ticket, key, bytes }: Put): Promise<void> {
  const { worldId, id } = ticket
  const job: Jobs['file-stored'] = { kind: ticket.for, worldId, id, key, bytes }
  await reports
    .add(id, job)
    .catch((error: unknown) => log.warn({ err: error, worldId, id }, 'a stored file is not reported yet'))
}

async function giveUp({ claims, rooms, log }: Context, ticket: UploadTicket, object: string, token: string) {
  const ends = await Promise.allSettled([
    rooms.leave(ticket.room, ticket.id, token),
    claims.release(ticket, object, token),
  ])
  for (const end of ends) {
    if (end.status === 'rejected') log.warn({ err: end.reason, ticket: ticket.id }, 'a claim ends by itself')
  }
}

function reply({ ticket, key, bytes, type }: Put, etag: string): object {
  if (ticket.for === 'file') return { key, fid: ticket.id, bytes, type, etag }
  return { key, bytes, type, etag, url: `${ticket.filesUrl}/${key}` }
}
