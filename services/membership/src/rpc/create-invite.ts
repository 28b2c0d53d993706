import { alreadyMember, invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { readBody, role, text } from '../domain/body'
import { readEmail } from '../domain/email'
import { inviteRow } from '../domain/sharing'
import { addMail, sendMail } from '../mail/add-mail'
import { mailInviteTask } from '../mail/mail-invite'
import { isInsider, upsertInvite } from '../store/invites'
import { lockOpenWorld } from '../store/worlds'
import { created } from './reply'
import { readOwnedWorld } from './world-tie'

/** Whether an account has the email changes neither the answer nor what is done for it (A59). */
export async function createInvite(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const fields = readBody(request.body, { email: text({ max: 254 }), role })
  if (fields.email === undefined) throw new RefusalError(invalid('email', 'email is required.'))
  const email = readEmail(fields.email)
  const given = fields.role
  if (given === undefined) throw new RefusalError(invalid('role', 'role is required.'))
  if (await isInsider(context.db, world.id, email.folded)) throw new RefusalError(alreadyMember())

  const { invite, mail } = await context.db.transaction(async (tx) => {
    if (!(await lockOpenWorld(tx, world.id))) throw new RefusalError(noSuch('world'))
    const invite = await upsertInvite(tx, { id: uuidv7(), worldId: world.id, email, role: given })
    const cause = { to: invite.email, accountId: request.account_id }
    return { invite, mail: await addMail(context, tx, cause, mailInviteTask(world.id, invite.id)) }
  })
  await sendMail(context, mail)
  return created(inviteRow(invite))
}
