/** `POST /v1/remove`: an image goes, and its key with it. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { removedKey } from '@worlds/storage/object-keys'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { RemovalTicket } from '@worlds/storage/tickets'
import { readTicket } from './admit'
import { claim, giveBack } from './claim'
import type { Context } from './context'
import { Refused } from './refusals'

export async function remove(context: Context, request: IncomingMessage): Promise<object> {
  const { ticket, objects } = await readTicket(context, request, (text) => context.tickets.removal(text))
  const token = randomUUID()
  const mine = { ticket, token, room: null }
  await claim(context, mine, { value: {} })
  try {
    await removeImage(objects, ticket)
  } catch (error) {
    await giveBack(context, mine, ticket.key)
    throw error instanceof Refused ? error : new Refused('remove_failed', undefined, { cause: error })
  }
  await context.failpoints.reach('remove.removed')
  await finish(context, ticket, token)
  return { removed: true, key: ticket.key, bytes: ticket.bytes }
}

/** The mark comes first: a removal that was cut off after it is ended by the next try. */
async function removeImage(objects: ObjectStore, { key }: RemovalTicket): Promise<void> {
  const found = await objects.head(key)
  if (found === null && (await objects.head(removedKey(key))) !== null) return
  if (found?.metadata.ticket === undefined) throw new Refused('not_removable')
  await objects.mark(removedKey(key), {})
  await objects.remove(key)
}

/** The image is gone, whether or not anybody can be told now: the file service finds out. */
async function finish(context: Context, ticket: RemovalTicket, token: string): Promise<void> {
  const { claims, reports, afterwards, limits } = context
  const { worldId, key, id } = ticket
  const keepMs = Math.max(ticket.exp * 1000 - Date.now(), 0) + limits.bodyMs
  const spend = () => claims.spend(ticket, token, keepMs)
  await spend().catch(() => afterwards.do(spend, 'the ticket of a removal is not spent', { worldId, key }))
  reports.add(`removal-${id}`, { kind: 'removal', worldId, key })
}
