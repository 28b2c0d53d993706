import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { type OwnedWorld, readOpenWorld } from '../store/worlds'

/** The world of a path. Without a tie to it, and when its id is malformed, there is no such world (D34). */
export async function readTiedWorld(
  context: Context,
  request: { account_id: string; world_id: string },
): Promise<OwnedWorld> {
  const world = await readOpenWorld(context.db, readId(request.world_id, noSuch('world')))
  if (world?.ownerAccount === request.account_id) return world
  throw new RefusalError(noSuch('world'))
}
