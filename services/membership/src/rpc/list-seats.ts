import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { seatRow } from '../domain/members'
import { listMembers } from '../store/members'
import { isSponsor } from './is-sponsor'
import { ok } from './reply'
import { readMemberTie } from './world-tie'

/** Every seat, removed ones too, as the caller sees their Characters. */
export async function listSeats(context: Context, request: AccountRequest): Promise<Reply> {
  const tie = await readMemberTie(context, request)
  const [roll, members] = await Promise.all([
    context.roll.read(tie.world.id, tie.membership ?? ''),
    listMembers(context.db, tie.world.id),
  ])
  if (roll === undefined) throw new RefusalError(noSuch('world'))
  const known = new Map(members.map((member) => [member.id, member]))
  const rows = roll.flatMap((member) => {
    const stored = known.get(member.id)
    if (member.kind !== 'agent' || stored === undefined) return []
    const sponsor = isSponsor(tie, request.account_id, stored)
    return [seatRow(member, { sponsor, createdAt: member.joined_at })]
  })
  return ok({ data: rows })
}
