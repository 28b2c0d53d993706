import { invalid, invalidLink, noSuch, notOwner, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import { beginSeat } from '../begin-seat'
import type { Context } from '../context'
import { agentName, oneOf, readBody, role } from '../domain/body'
import { isAbove, seatRow } from '../domain/members'
import { envOf } from '../domain/sharing'
import { addMember, type MemberOrder } from '../joining'
import { lockAccount } from '../store/accounts'
import { lockActiveMember } from '../store/members'
import { created } from './reply'
import { readMemberTie, type Tie } from './world-tie'

const readers = { name: agentName, role, character: oneOf(['new', 'none', 'mine']) }

/** Whoever makes a seat sponsors it. */
export async function createSeat(context: Context, request: AccountRequest): Promise<Reply> {
  const tie = await readMemberTie(context, request)
  const own = await ownRow(context, tie)
  if (own.role === 'guest') throw new RefusalError({ ...notOwner(), message: 'Guests make no seats.' })
  const { name, role = 'contributor', character = 'new' } = readBody(request.body, readers)
  if (name === undefined) throw new RefusalError(invalid('name', 'name is required.'))
  if (isAbove(role, own.role)) throw new RefusalError(invalid('role', 'The role is above your own.'))
  if (character === 'mine' && own.character === '') throw new RefusalError(invalidLink('character', 'Character'))
  const order: MemberOrder = {
    kind: 'agent',
    role,
    name,
    character: character === 'mine' ? own.character : null,
    made: character === 'new' ? { name, supertype: 'Agent' } : null,
    maker: tie.membership,
  }

  const worldId = tie.world.id
  const { ownerAccount } = tie.world
  const { errand, key, pin } = await context.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, request.account_id))) throw new RefusalError(noSuch('account'))
    // A removal under way comes before the seat, or takes its sponsor away with the others.
    const isIn = tie.membership === null || (await lockActiveMember(tx, tie.membership))
    if (!isIn) throw new RefusalError(noSuch('world'))
    const sponsorAccount = tie.as === 'owner' ? null : request.account_id
    const seat = { worldId, via: 'seat', viaId: null, sponsorAccount, ownerAccount, order } as const
    const begun = await beginSeat(context, tx, seat)
    if (begun === undefined) throw new RefusalError(noSuch('world'))
    return begun
  })
  await context.failpoints.reach('membership.seat-begun')
  const joined = await addMember(context, errand)
  if (joined === undefined || 'refusal' in joined) {
    throw new RefusalError(character === 'mine' ? invalidLink('character', 'Character') : noSuch('world'))
  }

  const { member } = joined
  const env = envOf({ key, pin, worldId, character: member.character || null }, context.apiUrl)
  return created({ key, pin, env, seat: seatRow(member, { sponsor: true, createdAt: member.joined_at }) })
}

/** The caller on the roll as it stands, its Character even when hidden. */
async function ownRow(context: Context, { world, membership }: Tie) {
  const roll = await context.roll.read(world.id, '')
  const row = roll?.find(({ id }) => id === (membership ?? ''))
  if (row === undefined || row.status === 'removed') throw new RefusalError(noSuch('world'))
  return row
}
