import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { keyRow } from '../domain/records'
import { listKeys as readKeys } from '../store/keys'
import { ok } from './reply'
import { readTiedWorld } from './world-tie'

export async function listKeys(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readTiedWorld(context, request)
  const keys = await readKeys(context.db, world.id)
  return ok({ data: keys.map(keyRow) })
}
