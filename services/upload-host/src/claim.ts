/** A ticket is one request's at a time, from its headers to its answer. */
import type { Space, TicketRef } from '@worlds/storage/claims'
import type { Entered } from '@worlds/storage/rooms'
import type { UploadTicket } from '@worlds/storage/tickets'
import { inRedis, type Judged, spaceOf } from './admit'
import type { Context } from './context'
import { Refused } from './refusals'

export interface Claim {
  readonly ticket: TicketRef
  readonly token: string
  /** Where the claim enters one; with it that entry is given back. */
  readonly room: string | null
}

/** Bodies that are whole before their claim is first renewed. */
const shortBytes = 4_194_304

export interface Held {
  /** The key that an earlier upload with this ticket was at. */
  readonly before: string | null
  /** What became of the room that was asked for along with the ticket. */
  readonly entered: Entered | null
}

/** Takes the ticket for this request alone; then what its headers were judged to be is told. */
export async function claim<T>(
  context: Context,
  { ticket, token, room }: Claim,
  judged: Judged<T>,
  spaceFor: (value: T) => Space | null = () => null,
): Promise<T & Held> {
  const { claims, limits } = context
  const space = 'value' in judged ? spaceFor(judged.value) : null
  // A short file's outlasts its put, too, and need not be told of it.
  const leaseMs = space !== null && space.bytes <= shortBytes ? limits.leaseMs + limits.putMs : limits.leaseMs
  const claimed = await inRedis(claims.claim(ticket, token, leaseMs, space)).catch((error: unknown) => {
    // It may have come to Redis all the same, or come there yet.
    giveBackLater(context, { ticket, token, room }, ticket.id)
    throw error
  })
  if (claimed.outcome === 'used') throw new Refused('ticket_used')
  if ('refused' in judged) {
    if (claimed.outcome === 'claimed') await giveBack(context, { ticket, token, room: null }, ticket.id)
    throw judged.refused
  }
  if (claimed.outcome !== 'claimed') throw new Refused('exists')
  return { ...judged.value, before: claimed.before, entered: claimed.entered }
}

/** Of an upload that has a claim. */
export interface Claimed {
  readonly ticket: UploadTicket
  readonly token: string
  readonly bytes: number
  readonly before: string | null
}

/**
 * Redis has lost the claim, or took its holder for dead: it is had anew, unless another was at the ticket meanwhile.
 * `key` is where the upload itself may have been.
 */
export async function claimAnew(
  context: Context,
  { ticket, token, bytes, before }: Claimed,
  key: string | null = null,
): Promise<boolean> {
  const { claims, limits } = context
  const claimed = await claims.claim(ticket, token, limits.leaseMs, spaceOf(ticket, bytes))
  if (claimed.outcome !== 'claimed') return false
  if ([null, before, key].includes(claimed.before)) return true
  await giveBack(context, { ticket, token, room: ticket.room }, ticket.id)
  return false
}

export interface Lease {
  /** Aborted when the claim is another's all the same. */
  readonly signal: AbortSignal
  /** It is as it was made, and outlasts the put. */
  coversPut(): boolean
  /** Nothing is renewed any longer, and had anew neither. */
  end(): Promise<void>
}

/** Renews claim and room while the body comes. */
export function holdClaim(context: Context, claimed: Claimed, began: number): Lease {
  const { claims, rooms, limits } = context
  const { ticket, token } = claimed
  const lost = new AbortController()
  const everyMs = limits.leaseMs / 3
  let ended = false
  let renewing: Promise<void> | undefined
  const renew = async () => {
    const holds = await claims.renew(ticket, token, limits.leaseMs)
    // What was given back meanwhile is not had anew.
    if (!holds && !ended && !(await claimAnew(context, claimed))) lost.abort()
  }
  const timer = setInterval(() => {
    // A place that was lost is looked for again before anything is promised.
    rooms.renew(ticket.room, ticket.id, token, limits.leaseMs).catch(() => undefined)
    // Redis may be back before the lease is over.
    renewing = renew().catch(() => undefined)
  }, everyMs)
  const isShort = ticket.for === 'file' && claimed.bytes <= shortBytes
  return {
    signal: lost.signal,
    // A process that stood still has renewed nothing either.
    coversPut: () => isShort && renewing === undefined && Date.now() - began < everyMs,
    async end() {
      ended = true
      clearInterval(timer)
      await renewing
    },
  }
}

/** The ticket is as good as new before anybody is told; where that fails, soon after. */
export async function giveBack(context: Context, claim: Claim, object: string): Promise<void> {
  await giveBackOnce(context, claim, object).catch(() => giveBackLater(context, claim, object))
}

function giveBackLater(context: Context, claim: Claim, object: string): void {
  const facts = { ticket: claim.ticket.id }
  context.afterwards.do(() => giveBackOnce(context, claim, object), 'a claim ends by itself', facts)
}

/** Each of the two though the other fails. */
async function giveBackOnce({ claims, rooms }: Context, { ticket, token, room }: Claim, object: string): Promise<void> {
  const ends = await Promise.allSettled([
    claims.release(ticket, object, token),
    room === null ? null : rooms.leave(room, ticket.id, token),
  ])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
