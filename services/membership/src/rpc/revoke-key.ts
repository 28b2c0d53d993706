import { noSuch, notOwner, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { addErrand, runErrand } from '../errands'
import { findKeyMembership, markKeyRevoked } from '../store/keys'
import { noContent } from './reply'
import { readMemberTie } from './world-tie'

/** Revoking again raises the version again: the first time may have ended between the mark and the raise. */
export async function revokeKey(context: Context, request: AccountRequest): Promise<Reply> {
  const { world, membership } = await readMemberTie(context, request)
  const keyId = readId(request.id)
  const key = await findKeyMembership(context.db, world.id, keyId)
  if (key === undefined) throw new RefusalError(noSuch('key'))
  if (membership !== null && key.membership !== membership) {
    throw new RefusalError({ ...notOwner(), message: 'Only the owner of the world revokes the keys of others.' })
  }
  const errand = await context.db.transaction(async (tx) => {
    if (!(await markKeyRevoked(tx, world.id, keyId))) throw new RefusalError(noSuch('key'))
    return addErrand(context, tx, { kind: 'raise-world', worldId: world.id, payload: {} })
  })
  await context.failpoints.reach('membership.key-revoked')
  await runErrand(context, errand)
  return noContent()
}
