/**
 * What must follow a change that membership has committed: others told of it, or a mail sent. An errand is written to
 * the outbox in that commit and run by the request that made it, before it answers if the answer rests on it; when a
 * crash or a fault cuts that, the relay runs it. Running one twice, or late, does no harm: each tells what is so by
 * then, and a mail that comes twice holds a good link each time.
 */
import type { WorldSummary__Output as WorldSummary } from '@worlds/proto/generated/worlds/element/v1/WorldSummary'
import type { Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import type { Context } from './context'
import { type AddMember, addMember } from './joining'
import { type EndMembership, endMembership } from './leaving'
import { type MailInvite, mailInvite } from './mail/mail-invite'
import { type MailPinGuessing, mailPinGuessing } from './mail/mail-pin-guessing'
import { type MailVerification, mailVerification } from './mail/mail-verification'
import { deleteInvitesOfWorld } from './store/invites'
import { listSharedWorlds } from './store/member-ties'
import { deleteOutbox, insertOutbox } from './store/outbox'
import { listOwnedWorlds, markWorldOpen, readOpenWorld } from './store/worlds'

type OpenWorld = { kind: 'open-world'; worldId: string; payload: { name: string } }
type ChangeWorld = { kind: 'close-world' | 'sync-world' | 'raise-world'; worldId: string; payload: object }
type RaiseAccount = { kind: 'raise-account'; worldId: null; payload: { accountId: string } }
type ForgetImages = { kind: 'forget-images'; worldId: null; payload: { accountId: string } }
type Tell = OpenWorld | ChangeWorld | RaiseAccount | ForgetImages
export type MailTask = MailVerification | MailInvite | MailPinGuessing
type Task = Tell | MailTask | AddMember | EndMembership

export type Errand<T extends Task = Task> = T & { readonly id: string }

export async function addErrand<T extends Task>(
  context: Context,
  tx: Transaction,
  task: T,
  id = uuidv7(),
): Promise<Errand<T>> {
  const errand = { ...task, id }
  await insertOutbox(tx, errand, context.outboxLeaseMs)
  return errand
}

export async function runErrand(context: Context, errand: Errand): Promise<void> {
  switch (errand.kind) {
    case 'open-world':
      return openWorld(context, errand)
    case 'close-world':
      return closeWorld(context, errand)
    case 'sync-world':
      await syncWorld(context, errand)
      return
    case 'raise-world':
      return raiseWorld(context, errand)
    case 'raise-account':
      return raiseAccount(context, errand)
    case 'mail-verification':
      await mailVerification(context, errand)
      return deleteOutbox(context.db, errand.id)
    case 'mail-invite':
      await mailInvite(context, errand)
      return deleteOutbox(context.db, errand.id)
    case 'mail-pin-guessing':
      await mailPinGuessing(context, errand)
      return deleteOutbox(context.db, errand.id)
    case 'add-member':
      await addMember(context, errand)
      return
    case 'end-membership':
      return endMembership(context, errand)
    case 'forget-images':
      return forgetImages(context, errand)
  }
}

async function openWorld(context: Context, { id, worldId, payload }: Errand<OpenWorld>): Promise<void> {
  await context.roll.openWorld(worldId, payload.name)
  await context.failpoints.reach('membership.world-opened')
  await context.db.transaction(async (tx) => {
    await markWorldOpen(tx, worldId)
    await deleteOutbox(tx, id)
  })
  // Its owner has left meanwhile, and element may have been told so before it knew the world.
  if ((await readOpenWorld(context.db, worldId)) === undefined) await context.roll.closeWorld(worldId)
}

async function closeWorld(context: Context, { id, worldId }: Errand<ChangeWorld>): Promise<void> {
  await context.roll.closeWorld(worldId)
  await context.db.transaction(async (tx) => {
    await deleteInvitesOfWorld(tx, worldId)
    await deleteOutbox(tx, id)
  })
}

/**
 * Tells element the world's `public_read`, and a new name if there is one. Two changes at once may reach element in
 * the other order; so whoever has told it looks again, and the last to tell has told the truth.
 */
export async function syncWorld(
  context: Context,
  { id, worldId }: Errand<ChangeWorld>,
  name?: string,
): Promise<WorldSummary | undefined> {
  let world = await readOpenWorld(context.db, worldId)
  let summary: WorldSummary | undefined
  while (world !== undefined) {
    const told = world.publicRead
    const renamed = summary === undefined ? name : undefined
    summary = await context.roll.updateWorld({ world_id: worldId, name: renamed, public_read: told })
    if (summary === undefined) break
    world = await readOpenWorld(context.db, worldId)
    if (world?.publicRead === told) break
  }
  await deleteOutbox(context.db, id)
  return world === undefined ? undefined : summary
}

async function raiseWorld(context: Context, { id, worldId }: Errand<ChangeWorld>): Promise<void> {
  await context.roll.raiseAuthVersions([worldId])
  await deleteOutbox(context.db, id)
}

/**
 * The worlds that the account owns and those it is a member of are listed after the commit: one that opens or is
 * joined later is read with the new PIN from its first request.
 */
async function raiseAccount(context: Context, { id, payload }: Errand<RaiseAccount>): Promise<void> {
  const owned = await listOwnedWorlds(context.db, payload.accountId)
  const shared = await listSharedWorlds(context.db, payload.accountId)
  await context.roll.raiseAuthVersions([...owned, ...shared].map((world) => world.id))
  await deleteOutbox(context.db, id)
}

/** The queue's job bears the errand's id, so that it is there once while it waits. */
async function forgetImages(context: Context, { id, payload }: Errand<ForgetImages>): Promise<void> {
  await context.accountDeleted.add(id, { kind: 'account', accountId: payload.accountId })
  await deleteOutbox(context.db, id)
}
