import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { flag, readBody, worldName } from '../domain/body'
import { addErrand, syncWorld } from '../errands'
import { updatePublicRead } from '../store/worlds'
import { getWorld } from './get-world'
import { readOwnedWorld } from './world-tie'

const readers = { name: worldName, public_read: flag }

export async function updateWorld(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const { name, public_read } = readBody(request.body, readers)
  if (public_read !== undefined) {
    await changePublicRead(context, world.id, world.ownerAccount, public_read, name)
  } else if (name !== undefined) {
    await context.roll.updateWorld({ world_id: world.id, name })
  }
  return getWorld(context, request)
}

async function changePublicRead(
  context: Context,
  worldId: string,
  ownerAccount: string,
  publicRead: boolean,
  name: string | undefined,
): Promise<void> {
  const errand = await context.db.transaction(async (tx) => {
    const changed = await updatePublicRead(tx, worldId, ownerAccount, publicRead)
    if (!changed) throw new RefusalError(noSuch('world'))
    return addErrand(context, tx, { kind: 'sync-world', worldId, payload: {} })
  })
  await context.failpoints.reach('membership.world-updated')
  await syncWorld(context, errand, name)
}
