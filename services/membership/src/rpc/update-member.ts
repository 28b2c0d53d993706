import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { optionalId, readBody, role } from '../domain/body'
import { readId } from '../domain/ids'
import { rosterRow } from '../domain/members'
import { findMember } from '../store/members'
import { ok } from './reply'
import { readOwnedWorld } from './world-tie'

/** Element decides, and refuses a Character that is hidden or none. */
export async function updateMember(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const memberId = readId(request.id)
  const fields = readBody(request.body, { role, character: optionalId })
  const member = await findMember(context.db, world.id, memberId)
  if (member === undefined || member.state === 'removed') throw new RefusalError(noSuch('member'))
  if (fields.character !== undefined && member.via === 'invite') {
    throw new RefusalError(invalid('character', 'A person chooses its Character itself, when it accepts.'))
  }
  const updated = await context.roll.updateMember({
    world_id: world.id,
    member_id: memberId,
    ...(fields.role === undefined ? {} : { role: fields.role }),
    ...(fields.character === undefined ? {} : { character: fields.character ?? '' }),
  })
  if ('refusal' in updated) throw new RefusalError(updated.refusal)
  return ok(rosterRow(updated.member))
}
