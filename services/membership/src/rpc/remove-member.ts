import { noSuch, notOwner, RefusalError } from '@worlds/domain/errors'
import { readUuid } from '@worlds/domain/uuid'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { addErrand, runErrand } from '../errands'
import { findMember, type Member } from '../store/members'
import { noContent } from './reply'
import { findTie, readWorld } from './world-tie'

/** Also by a seat's sponsor. Removing again tells element again: the first time may have been cut off. */
export async function removeMember(context: Context, request: AccountRequest): Promise<Reply> {
  return remove(context, request, () => true)
}

export async function removeSeat(context: Context, request: AccountRequest): Promise<Reply> {
  return remove(context, request, ({ kind }) => kind === 'agent')
}

async function remove(context: Context, request: AccountRequest, isMeant: (member: Member) => boolean): Promise<Reply> {
  const world = await readWorld(context, request)
  const tie = await findTie(context, request, world)
  const sentId = readUuid(request.id)
  const member = sentId === null ? undefined : await findMember(context.db, world.id, sentId)
  if (tie?.as !== 'owner' && member?.sponsorAccount !== request.account_id) {
    throw new RefusalError(tie === undefined ? noSuch('world') : notOwner())
  }
  readId(request.id)
  if (member === undefined || !isMeant(member)) throw new RefusalError(noSuch('member'))
  await endMembershipOf(context, world.id, member)
  return noContent()
}

export async function endMembershipOf(
  context: Context,
  worldId: string,
  { id, accountId }: Pick<Member, 'id' | 'accountId'>,
): Promise<void> {
  const payload = { memberId: id, accountId, forget: false }
  const errand = await context.db.transaction((tx) =>
    addErrand(context, tx, { kind: 'end-membership', worldId, payload }),
  )
  await context.failpoints.reach('membership.removal-noted')
  await runErrand(context, errand)
}
