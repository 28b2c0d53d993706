import type { Context } from '../context'
import { readInvite } from '../store/invites'
import { inviteMail } from './invite-mail'
import { isRefused } from './mailer'

/** After `giveUpAt` (milliseconds since 1970) a mail that could not be sent is given up. */
export type MailInvite = {
  kind: 'mail-invite'
  worldId: string
  payload: { inviteId: string; giveUpAt: number }
}

const patienceMs = 3_600_000

export function mailInviteTask(worldId: string, inviteId: string): MailInvite {
  return { kind: 'mail-invite', worldId, payload: { inviteId, giveUpAt: Date.now() + patienceMs } }
}

/** Every invite is mailed, whether or not its email has an account. An invite that was resolved meanwhile is not. */
export async function mailInvite(context: Context, { payload }: MailInvite): Promise<void> {
  const { inviteId, giveUpAt } = payload
  const invite = await readInvite(context.db, inviteId)
  if (invite === undefined) return
  const world = (await context.roll.describeWorlds([invite.worldId])).get(invite.worldId)
  if (world === undefined) return
  try {
    await context.mailer.send(inviteMail(invite.email, context.portalUrl, world.name))
  } catch (error) {
    if (!isRefused(error) && Date.now() < giveUpAt) throw error
    context.log.warn({ err: error, inviteId }, 'a mail was given up')
  }
}
