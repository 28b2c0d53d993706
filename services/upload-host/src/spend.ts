/** What makes an upload a promise: its ticket is spent, and its place in the room kept. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Spent } from '@worlds/storage/claims'
import type { ObjectStore } from '@worlds/storage/object-store'
import { askForRoom, spaceOf } from './admit'
import { claimAnew } from './claim'
import type { Context } from './context'
import { type Put, takeBack } from './put'
import { Refused } from './refusals'

const tries = 10
/** Of these as many may end without an answer. */
const failures = 2

/** Nobody can use the ticket again; without that there is no promise, and nothing stays. */
export async function spend(context: Context, objects: ObjectStore, stored: Put, began: number): Promise<void> {
  const { ticket, token } = stored
  try {
    if (await isSpent(context, stored, began)) return
  } catch (error) {
    context.log.warn({ err: error, ticket: ticket.id, token }, 'a ticket could not be spent')
  }
  await takeBack(objects, stored).catch((error: unknown) =>
    context.log.warn({ err: error, key: stored.key }, 'bytes of an upload that failed are left to the file service'),
  )
  throw new Refused('write_failed')
}

/** Redis may have lost the room meanwhile, or the claim: no promise is given without both. */
async function isSpent(context: Context, stored: Put, began: number): Promise<boolean> {
  const { bodyMs, putMs } = context.limits
  let failed = 0
  for (let turn = 1; turn <= tries; turn += 1) {
    // Later the file service may have given the ticket up.
    if (Date.now() - began >= bodyMs + putMs) return false
    // An answer that was lost may have been that it is spent: asked again, it says so.
    const outcome = await spendWithRoom(context, stored).catch((error: unknown) => {
      failed += 1
      if (failed > failures) throw error
    })
    if (outcome === 'spent') return true
    if (outcome === 'full') return false
    if (outcome === 'lost') {
      if (!(await claimAnew(context, stored, stored.key))) return false
    } else {
      if (outcome === 'unknown') await askForRoom(context, stored.ticket)
      await sleep(200)
    }
  }
  return false
}

/** Enters the room once more, for good: what is promised holds its place until it is settled. */
async function spendWithRoom({ claims, rooms, limits }: Context, { ticket, token, bytes }: Put): Promise<Spent> {
  const keepMs = Math.max(ticket.exp * 1000 - Date.now(), 0) + limits.bodyMs + limits.putMs
  const space = spaceOf(ticket, bytes)
  const spent = await claims.spend(ticket, token, keepMs, space)
  if (space !== null || spent !== 'spent') return spent
  // Only who has the ticket may touch its entry; should there be no room, it is released like any other.
  const { room, id, roomBytes: holds } = ticket
  const entered = await rooms.enter(room, id, bytes, token, { holds, leaseMs: 0 })
  return entered === 'full' || entered === 'unknown' ? entered : 'spent'
}
