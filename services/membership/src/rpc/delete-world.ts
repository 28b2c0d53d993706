import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { addErrand, runErrand } from '../errands'
import { markWorldDeleted } from '../store/worlds'
import { noContent } from './reply'
import { readOwnedWorld } from './world-tie'

/** The mark kills the world's keys; what was authenticated before it dies with the auth version that element moves. */
export async function deleteWorld(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const errand = await context.db.transaction(async (tx) => {
    const deleted = await markWorldDeleted(tx, world.id, world.ownerAccount)
    if (!deleted) throw new RefusalError(noSuch('world'))
    return addErrand(context, tx, { kind: 'close-world', worldId: world.id, payload: {} })
  })
  await context.failpoints.reach('membership.world-deleted')
  await runErrand(context, errand)
  return noContent()
}
