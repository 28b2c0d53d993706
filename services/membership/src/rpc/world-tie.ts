import { noSuch, notOwner, RefusalError } from '@worlds/domain/errors'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { findMemberTie } from '../store/member-ties'
import { type OwnedWorld, readOpenWorld } from '../store/worlds'

export interface Tie {
  readonly world: OwnedWorld
  /** A sponsor's tie is good for removing its seat alone. */
  readonly as: 'owner' | 'member' | 'sponsor'
  /** The account's membership; null unless it is a member. */
  readonly membership: string | null
}

type InWorld = { account_id: string; world_id: string }

/** The world of a path. Without a tie to it, and when its id is malformed, there is no such world (D34). */
export async function readTie(context: Context, request: InWorld): Promise<Tie> {
  const tie = await findTie(context, request, await readWorld(context, request))
  if (tie === undefined) throw new RefusalError(noSuch('world'))
  return tie
}

/** For routes of members and the owner. */
export async function readMemberTie(context: Context, request: InWorld): Promise<Tie> {
  const tie = await readTie(context, request)
  if (tie.as === 'sponsor') throw new RefusalError({ ...notOwner(), message: 'Only members of the world may do this.' })
  return tie
}

/** For routes of the owner. */
export async function readOwnedWorld(context: Context, request: InWorld): Promise<OwnedWorld> {
  const tie = await readTie(context, request)
  if (tie.as !== 'owner') throw new RefusalError(notOwner())
  return tie.world
}

/** The world of a path whatever ties there are. */
export async function readWorld(context: Context, request: InWorld): Promise<OwnedWorld> {
  const world = await readOpenWorld(context.db, readId(request.world_id, noSuch('world')))
  if (world === undefined) throw new RefusalError(noSuch('world'))
  return world
}

export async function findTie(context: Context, { account_id }: InWorld, world: OwnedWorld): Promise<Tie | undefined> {
  if (world.ownerAccount === account_id) return { world, as: 'owner', membership: null }
  const { membership, sponsors } = await findMemberTie(context.db, world.id, account_id)
  if (membership !== null) return { world, as: 'member', membership }
  return sponsors ? { world, as: 'sponsor', membership: null } : undefined
}
