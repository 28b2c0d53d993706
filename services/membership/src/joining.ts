/**
 * Lets a member into a world. A `joining` row and its errand are committed together with whatever let the member in;
 * the errand has the member's id, makes the member in element, and marks it active. So whoever is cut off there, the
 * relay or the next try ends in the same one member. A refusal of element's undoes the row as if nobody had tried.
 */
import type { Refusal } from '@worlds/domain/errors'
import type { RollMember__Output as RollMember } from '@worlds/proto/generated/worlds/element/v1/RollMember'
import type { Transaction } from '@worlds/runtime/postgres'
import type { Context } from './context'
import type { MemberRole } from './domain/members'
import { deleteLiveKeys } from './store/keys'
import { deleteJoiningMember, markMemberActive } from './store/members'
import { deleteOutbox, readOutbox } from './store/outbox'
import { giveInviteBack, resolveInvite } from './store/received-invites'

export interface MemberOrder {
  readonly kind: 'person' | 'agent'
  readonly role: MemberRole
  /** Empty for persons. */
  readonly name: string
  /** A Character to play; when it cannot be, `made` is, or the member is refused. */
  readonly character: string | null
  readonly made: { readonly name: string; readonly supertype: 'Guest' | 'Agent' } | null
  /** The member that makes this seat for itself; null for every other member. */
  readonly maker: string | null
}

export type AddMember = { kind: 'add-member'; worldId: string; payload: MemberOrder }

type Errand = AddMember & { readonly id: string }

export type Joined = { readonly member: RollMember } | { readonly refusal: Refusal }

/** Nothing when the member was undone by whoever ran the same errand at the same time. */
export async function addMember(context: Context, { id, worldId, payload }: Errand): Promise<Joined | undefined> {
  const { kind, role, name, character, made, maker } = payload
  const order = {
    world_id: worldId,
    member_id: id,
    kind,
    role,
    name,
    character: character ?? '',
    made,
    maker: maker ?? '',
  }
  const joined = await context.roll.addMember(order)
  await context.failpoints.reach('membership.member-added')
  if ('refusal' in joined) {
    await context.db.transaction((tx) => undo(tx, id))
    return joined
  }
  const isKept = await context.db.transaction(async (tx) => {
    await resolveInvite(tx, id)
    await deleteOutbox(tx, id)
    return markMemberActive(tx, id)
  })
  if (isKept) return joined
  // The other run was refused and undid the row, all before element took this one.
  await context.roll.removeMember(worldId, id)
  return undefined
}

/** Runs what is left of a joining that was cut off; nothing when none is left. */
export async function finishJoining(context: Context, memberId: string): Promise<Joined | undefined> {
  const row = await readOutbox(context.db, memberId)
  return row === undefined ? undefined : addMember(context, row as Errand)
}

async function undo(tx: Transaction, id: string): Promise<void> {
  if (await deleteJoiningMember(tx, id)) {
    await giveInviteBack(tx, id)
    await deleteLiveKeys(tx, id)
  }
  await deleteOutbox(tx, id)
}
