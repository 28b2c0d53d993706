import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { memberRow } from '../domain/members'
import { inviteRow } from '../domain/sharing'
import { listInvites } from '../store/invites'
import { listMembers as readMembers } from '../store/members'
import { isSponsor } from './is-sponsor'
import { ok } from './reply'
import { readMemberTie } from './world-tie'

/** The roster as the caller sees it. Invites carry emails, so the owner alone sees them (A61). */
export async function listMembers(context: Context, request: AccountRequest): Promise<Reply> {
  const tie = await readMemberTie(context, request)
  const worldId = tie.world.id
  const [roll, members, invites] = await Promise.all([
    context.roll.read(worldId, tie.membership ?? ''),
    readMembers(context.db, worldId),
    tie.as === 'owner' ? listInvites(context.db, worldId) : [],
  ])
  if (roll === undefined) throw new RefusalError(noSuch('world'))
  const sponsored = new Set(members.filter((member) => isSponsor(tie, request.account_id, member)).map(({ id }) => id))
  const rows = roll.map((member) => memberRow(member, sponsored.has(member.id)))
  return ok({ data: rows, invites: invites.map(inviteRow) })
}
