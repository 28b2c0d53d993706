import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { ownedWorldRows } from '../domain/records'
import { listOwnedWorlds } from '../store/worlds'
import { ok } from './reply'

export async function listWorlds(context: Context, request: AccountRequest): Promise<Reply> {
  const worlds = await listOwnedWorlds(context.db, request.account_id)
  const facts = await context.roll.describeWorlds(worlds.map((world) => world.id))
  return ok({ data: ownedWorldRows(worlds, facts) })
}
