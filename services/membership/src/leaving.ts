/**
 * Ends a membership and those of the seats that the member made for itself: element first, from whose answer on nothing
 * is seen or written as any of them; then their keys. The
 * errand is committed before either, so that neither can be left undone.
 */
import type { Context } from './context'
import { finishJoining } from './joining'
import { clearKeyNames, deleteLiveKeys } from './store/keys'
import { endLinkSponsorships, endSponsorships } from './store/member-ties'
import { markMemberRemoved, markSeatsRemoved } from './store/members'
import { deleteOutbox } from './store/outbox'

/** `accountId` is the person's. `forget` also takes the member's name off what it made: its account is gone. */
export type EndMembership = {
  kind: 'end-membership'
  worldId: string
  payload: { memberId: string; accountId: string | null; forget: boolean }
}

export async function endMembership(
  context: Context,
  { id, worldId, payload }: EndMembership & { readonly id: string },
): Promise<void> {
  const { memberId, accountId, forget } = payload
  if (forget) await finishJoining(context, memberId)
  await context.roll.removeMember(worldId, memberId)
  await context.failpoints.reach('membership.member-removed')
  await context.db.transaction(async (tx) => {
    await markMemberRemoved(tx, memberId)
    const seats = await markSeatsRemoved(tx, memberId)
    for (const id of [memberId, ...seats]) await deleteLiveKeys(tx, id)
    if (forget) await clearKeyNames(tx, memberId)
    if (accountId !== null) {
      await endSponsorships(tx, accountId, worldId)
      await endLinkSponsorships(tx, accountId, worldId)
    }
  })
  // Element has raised it already, but for principals that knew less than what was committed here.
  await context.roll.raiseAuthVersions([worldId])
  if (forget) await context.roll.forgetMember(worldId, memberId)
  await deleteOutbox(context.db, id)
}
