import { alreadyMember, invalidLink, noSuch, pinRequired, type Refusal, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { RollMember__Output as RollMember } from '@worlds/proto/generated/worlds/element/v1/RollMember'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { UnavailableError } from '@worlds/runtime/operation'
import { uuidv7 } from 'uuidv7'
import { beginJoining } from '../begin-joining'
import type { Context } from '../context'
import { optionalId, readOptionalBody } from '../domain/body'
import { readId } from '../domain/ids'
import type { MemberRole } from '../domain/members'
import { sponsorOfferRow } from '../domain/sharing'
import { addMember, finishJoining, type Joined, type MemberOrder } from '../joining'
import { acceptSponsorOffer } from '../sponsor-offer'
import { lockAccount } from '../store/accounts'
import {
  type FoundInvite,
  findReceivedInvite,
  hasAccepted,
  lockPendingInvite,
  takeInvite,
} from '../store/received-invites'
import { created } from './reply'

/** How often other requests may come between. */
const rounds = 10

/**
 * However often and by however many invites one account accepts, it becomes one member. A try that finds the account
 * on its way into the world ends that way first: its own, cut off before, is what it answers with.
 */
export async function acceptInvite(context: Context, request: AccountRequest): Promise<Reply> {
  const accountId = request.account_id
  const inviteId = readId(request.id)
  const { roster_character } = readOptionalBody(request.body, { roster_character: optionalId })
  for (let round = 1; round <= rounds; round += 1) {
    const invite = await findReceivedInvite(context.db, accountId, inviteId)
    if (invite === undefined) return acceptOffer(context, accountId, inviteId)
    if (invite.isInside) throw new RefusalError(alreadyMember())
    if (!invite.hasPin) throw new RefusalError(pinRequired())
    if (invite.joining !== null) {
      const joined = await finishJoining(context, invite.joining)
      const isThis = invite.joining === invite.memberId
      if (isThis && joined !== undefined && 'member' in joined) return accepted(context, invite, joined.member)
      continue
    }
    if (invite.memberId !== null) throw new RefusalError(noSuch('invite'))
    const joined = await accept(context, accountId, inviteId, invite.worldId, roster_character ?? null)
    if (joined === undefined) continue
    if ('member' in joined) return accepted(context, invite, joined.member)
    throw new RefusalError(toRefusal(joined.refusal))
  }
  throw new UnavailableError('other requests came between again and again')
}

/** The id may be that of an offer to sponsor, which is accepted by the same route. */
async function acceptOffer(context: Context, accountId: string, id: string): Promise<Reply> {
  const offer = await acceptSponsorOffer(context, accountId, id)
  if (offer === undefined) throw new RefusalError(await whyNone(context, accountId, id))
  const world = (await context.roll.describeWorlds([offer.worldId])).get(offer.worldId)
  return created(sponsorOfferRow(offer, world?.name ?? ''))
}

/** An invite that this account has accepted is gone, but whoever asks again is best told that it worked. */
async function whyNone(context: Context, accountId: string, inviteId: string): Promise<Refusal> {
  return (await hasAccepted(context.db, accountId, inviteId)) ? alreadyMember() : noSuch('invite')
}

/** Nothing when another request came between. */
async function accept(
  context: Context,
  accountId: string,
  inviteId: string,
  worldId: string,
  character: string | null,
): Promise<Joined | undefined> {
  const memberId = uuidv7()
  const errand = await context.db.transaction(async (tx) => {
    const role = await lockPendingInvite(tx, inviteId)
    if (role === undefined || !(await lockAccount(tx, accountId))) return undefined
    const seat = { via: 'invite', viaId: inviteId, sponsorAccount: null, secretDigest: null } as const
    const order = orderOf(role, character)
    const begun = await beginJoining(context, tx, { id: memberId, worldId, accountId, ...seat }, order)
    if (begun !== undefined) await takeInvite(tx, inviteId, memberId)
    return begun
  })
  if (errand === undefined) return undefined
  await context.failpoints.reach('membership.invite-taken')
  return addMember(context, errand)
}

/** A guest always gets a Character of its own; who it is stays out of it. */
function orderOf(role: MemberRole, character: string | null): MemberOrder {
  const common = { kind: 'person', role, name: '', maker: null } as const
  if (role === 'guest') return { ...common, character: null, made: { name: 'Guest', supertype: 'Guest' } }
  return { ...common, character, made: null }
}

function toRefusal(refusal: Refusal): Refusal {
  if (refusal.code === 'invalid_link') return invalidLink('roster_character', 'Character')
  return refusal.code === 'not_found' ? noSuch('invite') : refusal
}

async function accepted(context: Context, { worldId }: FoundInvite, member: RollMember): Promise<Reply> {
  const world = (await context.roll.describeWorlds([worldId])).get(worldId)
  const character = member.character === '' ? null : member.character
  return created({
    id: member.id,
    world: { id: worldId, name: world?.name ?? '' },
    kind: member.kind,
    role: member.role,
    status: member.status,
    character,
    roster_character: character,
    joined_at: member.joined_at,
  })
}
