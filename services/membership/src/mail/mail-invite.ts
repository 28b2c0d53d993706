import type { Context } from '../context'
import { readInvite } from '../store/invites'
import { inviteMail } from './invite-mail'
import { giveUpAt, sendOrGiveUp } from './send-or-give-up'

/** After `giveUpAt` (milliseconds since 1970) a mail that could not be sent is given up. */
export type MailInvite = {
  kind: 'mail-invite'
  worldId: string
  payload: { inviteId: string; giveUpAt: number }
}

export function mailInviteTask(worldId: string, inviteId: string): MailInvite {
  return { kind: 'mail-invite', worldId, payload: { inviteId, giveUpAt: giveUpAt() } }
}

/** Every invite is mailed, whether or not its email has an account. An invite that was resolved meanwhile is not. */
export async function mailInvite(context: Context, { payload }: MailInvite): Promise<void> {
  const invite = await readInvite(context.db, payload.inviteId)
  if (invite === undefined) return
  const world = (await context.roll.describeWorlds([invite.worldId])).get(invite.worldId)
  if (world === undefined) return
  await sendOrGiveUp(context, inviteMail(invite.email, context.portalUrl, world.name), payload.giveUpAt)
}
