import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { ownedWorldRow, sharedWorldRow } from '../domain/records'
import { ok } from './reply'
import { readMemberTie } from './world-tie'

export async function getWorld(context: Context, request: AccountRequest): Promise<Reply> {
  const { world, membership } = await readMemberTie(context, request)
  const facts = (await context.roll.describeWorlds([world.id])).get(world.id)
  if (facts === undefined) throw new RefusalError(noSuch('world'))
  if (membership === null) return ok(ownedWorldRow(world, facts))
  const members = await context.roll.describeMembers([{ world_id: world.id, member_id: membership }])
  const member = members.get(membership)
  if (member?.status !== 'active') throw new RefusalError(noSuch('world'))
  return ok(sharedWorldRow(world, facts, membership, member.role))
}
