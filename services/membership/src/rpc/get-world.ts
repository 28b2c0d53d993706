import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { ownedWorldRow } from '../domain/records'
import { ok } from './reply'
import { readTiedWorld } from './world-tie'

export async function getWorld(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readTiedWorld(context, request)
  const facts = (await context.roll.describeWorlds([world.id])).get(world.id)
  if (facts === undefined) throw new RefusalError(noSuch('world'))
  return ok(ownedWorldRow(world, facts))
}
