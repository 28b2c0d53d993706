import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { keyRow } from '../domain/records'
import { listKeys as readKeys } from '../store/keys'
import { ok } from './reply'
import { readMemberTie } from './world-tie'

/** The owner sees every key of the world, a member its own. */
export async function listKeys(context: Context, request: AccountRequest): Promise<Reply> {
  const { world, membership } = await readMemberTie(context, request)
  const keys = await readKeys(context.db, world.id, membership)
  return ok({ data: keys.map(keyRow) })
}
