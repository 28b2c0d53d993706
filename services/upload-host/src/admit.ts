/** What is judged before a byte of the body is read, in the order of checks. */
import type { IncomingMessage } from 'node:http'
import type { Space } from '@worlds/storage/claims'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { Entered } from '@worlds/storage/rooms'
import type { Ticket, UploadTicket, Verified } from '@worlds/storage/tickets'
import type { Context } from './context'
import { Refused } from './refusals'

/** The ticket of the request, of the kind that its path takes. */
export async function readTicket<T extends Ticket>(
  { tickets, objects }: Context,
  request: IncomingMessage,
  verify: (text: string) => Promise<Verified<T>>,
): Promise<{ readonly ticket: T; readonly objects: ObjectStore }> {
  if (!tickets.isConfigured || objects === null) throw new Refused('ticket_lane_unconfigured')
  const [, text] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? []
  if (text === undefined) throw new Refused('ticket_required')
  const verified = await verify(text)
  if ('fault' in verified) throw new Refused(verified.fault === 'expired' ? 'ticket_expired' : 'ticket_invalid')
  return { ticket: verified.ticket, objects }
}

/** What else of a request was judged by its headers: a spent ticket is told before, one in use after. */
export type Judged<T> = { readonly value: T } | { readonly refused: Refused }

export function judge<T>(read: () => T): Judged<T> {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof Refused) return { refused: error }
    throw error
  }
}

/** Bytes that the request announces. */
export function readLength({ headers }: IncomingMessage, { maxBytes }: UploadTicket): number {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  if (length === undefined || coding !== undefined) throw new Refused('content_length_required')
  const bytes = Number(length)
  if (bytes === 0) throw new Refused('empty_body')
  if (bytes > maxBytes) throw new Refused('too_large')
  return bytes
}

/** A file's room is its world's, and entered along with the claim; an image's is its account's. */
export function spaceOf({ for: what, room, roomBytes }: UploadTicket, bytes: number): Space | null {
  return what === 'file' ? { room, bytes, holds: roomBytes } : null
}

/** Reserves room for the bytes, unless the claim has: from a 201 on they are sure to be listed (A70). */
export async function enterRoom(
  context: Context,
  ticket: UploadTicket,
  token: string,
  bytes: number,
  entered: Entered | null,
): Promise<void> {
  const { room, id, roomBytes: holds } = ticket
  const { leaseMs } = context.limits
  const outcome = entered ?? (await inRedis(context.rooms.enter(room, id, bytes, token, { holds, leaseMs })))
  if (outcome === 'full') throw new Refused('too_large')
  if (outcome === 'kept') throw new Refused('exists')
  if (outcome === 'unknown') {
    await askForRoom(context, ticket)
    throw new Refused('ticket_lane_unconfigured')
  }
}

/** Redis has lost the room's books: only the file service has the rows to make them anew. */
export async function askForRoom({ requests, log }: Context, { room }: UploadTicket): Promise<void> {
  await requests
    .ask(`room-${room.replace(':', '-')}`, { kind: 'room', room })
    .catch((error: unknown) => log.warn({ err: error, room }, 'nobody was asked for the books of a room'))
}

/** Without Redis no ticket can be judged: nothing is taken in. */
export async function inRedis<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw new Refused('ticket_lane_unconfigured', undefined, { cause: error })
  }
}
