import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { linkRow } from '../domain/sharing'
import { listJoinLinks } from '../store/join-links'
import { ok } from './reply'
import { readOwnedWorld } from './world-tie'

export async function listLinks(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readOwnedWorld(context, request)
  const links = await listJoinLinks(context.db, world.id)
  return ok({ data: links.map(linkRow) })
}
