import { filesFull, fileTooLarge, mediaUnavailable, notFound, quotaExceeded } from '@worlds/domain/errors'
import type { Principal__Output as Principal } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { CreateTicketRequest__Output } from '@worlds/proto/generated/worlds/file/v1/CreateTicketRequest'
import { principalOf } from '@worlds/runtime/refusals'
import { maxFileBytes, worldFileBytes } from '@worlds/storage/kinds'
import { filePrefix } from '@worlds/storage/object-keys'
import { worldRoom } from '@worlds/storage/rooms'
import { type FileTicket, signTicket } from '@worlds/storage/tickets'
import { uuidv7 } from 'uuidv7'
import type { UploadConfig } from '../config'
import type { Context } from '../context'
import { readTicketInput, type TicketInput } from '../domain/ticket-input'
import { checkRoom, ensureRoom } from '../settle/rooms'
import type { FoundElement } from '../sight'
import { isBuried } from '../store/burials'
import { keyOf, type NewFile, reserveFile } from '../store/files'
import { lockWorld } from '../store/locks'
import { counted, ok, refuse } from './reply'

/** A ticket for one upload: steps 14 to 20 of the order of checks, the quota last of all (B36). */
export async function createTicket(context: Context, request: CreateTicketRequest__Output): Promise<Reply> {
  const principal = principalOf(request)
  const input = readTicketInput(request.body)
  const element = await context.sight.find(principal, request.type, request.id, true)
  const { signingKey, url } = uploadsOf(context)
  if (input.size > maxFileBytes) refuse(fileTooLarge())
  const room = worldRoom(principal.world_id)
  await counted(ensureRoom(context, room))

  const file = newFile(principal, element, input)
  const left = await reserve(context, file, input)
  const exp = expiry(context)
  const ticket: FileTicket = {
    for: 'file',
    id: file.id,
    worldId: file.worldId,
    kind: input.kind,
    key: keyOf(file),
    maxBytes: Math.min(maxFileBytes, left),
    room,
    roomBytes: worldFileBytes,
    exp,
  }
  return ok(201, {
    ticket: await signTicket(signingKey, ticket),
    upload_url: url,
    prefix: filePrefix(file.worldId, file.elementId),
    key: ticket.key,
    max_bytes: ticket.maxBytes,
    exp,
    uses: 1,
    issued_to: { account: file.accountId, membership: file.membership },
    kind: 'file',
    file_id: file.id,
  })
}

/** What the world has left. The quota is taken last: a fault after it may cost a ticket, and never gives one too many. */
async function reserve(context: Context, file: NewFile, { size }: TicketInput): Promise<number> {
  const { db, quotas, config } = context
  const { ticketLifeMs, graceMs } = config.uploads
  return db.transaction(async (tx) => {
    const world = await lockWorld(tx, file.worldId)
    if (world.closed || (await isBuried(tx, file.worldId, file.elementId, file.birth))) return refuse(notFound())
    const left = worldFileBytes - world.usedBytes
    if (left < size) refuse(filesFull())
    await counted(checkRoom(context, worldRoom(file.worldId), world.usedBytes))
    const waitMs = await counted(quotas.takeFile(tx, file.worldId, file.id))
    if (waitMs > 0) refuse(quotaExceeded('file tickets', Math.ceil(waitMs / 1000)))
    await reserveFile(tx, file, ticketLifeMs + graceMs)
    return left
  })
}

function newFile(principal: Principal, element: FoundElement, input: TicketInput): NewFile {
  return {
    worldId: principal.world_id,
    id: uuidv7(),
    elementId: element.id,
    elementType: element.type,
    birth: element.birth,
    kind: input.kind,
    name: input.name,
    label: input.label,
    accountId: principal.account,
    membership: principal.membership === '' ? null : principal.membership,
    agent: principal.kind === 'agent',
    agentName: element.holder,
  }
}

/** When a ticket that is issued now ends, in Unix seconds. */
export function expiry({ config }: Context): number {
  return Math.ceil((Date.now() + config.uploads.ticketLifeMs) / 1000)
}

export function uploadsOf({ config, objects }: Context) {
  const { signingKey, url } = config.uploads
  if (signingKey === null || url === '' || objects === null) return refuse(mediaUnavailable())
  return { signingKey, url } satisfies Pick<UploadConfig, 'signingKey' | 'url'>
}
