import type { Transaction } from '@worlds/runtime/postgres'
import type { Context } from './context'
import { addErrand, type Errand } from './errands'
import type { AddMember, MemberOrder } from './joining'
import { insertMember, type NewMember } from './store/members'
import { lockOpenWorld } from './store/worlds'

/**
 * Commits the caller to a new member: with this transaction the joining goes on by itself. Nothing was done when the
 * world is not open, or the account is its member already or about to be one.
 */
export async function beginJoining(
  context: Context,
  tx: Transaction,
  member: Omit<NewMember, 'kind' | 'name' | 'maker'>,
  order: MemberOrder,
): Promise<Errand<AddMember> | undefined> {
  const { worldId, id } = member
  if (!(await lockOpenWorld(tx, worldId))) return undefined
  if (!(await insertMember(tx, { ...member, kind: order.kind, name: order.name, maker: order.maker }))) return undefined
  return addErrand(context, tx, { kind: 'add-member', worldId, payload: order }, id)
}
