import { invalid, RefusalError, unknownField } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { JoinRequest__Output as JoinRequest } from '@worlds/proto/generated/worlds/membership/v1/JoinRequest'
import { type BegunSeat, beginSeat } from '../begin-seat'
import type { Context } from '../context'
import { agentName, type Fields, name, readBody } from '../domain/body'
import { rosterRow } from '../domain/members'
import { envOf, nextSteps } from '../domain/sharing'
import { addMember, type MemberOrder } from '../joining'
import { lockAccount } from '../store/accounts'
import { type OpenLink, spendJoinLink } from '../store/join-links'
import { noSuchCode, openLink, readCode } from './open-link'
import { created } from './reply'

const readers = { code: readCode, agent_name: agentName, name }

/** The code is spent in the commit that makes the membership: of two who send it at once, one joins. */
export async function join(context: Context, { body }: JoinRequest): Promise<Reply> {
  const fields = readBody(body, readers)
  let link = await openLink(context, fields.code)
  const { worldId } = link
  const world = (await context.roll.describeWorlds([worldId])).get(worldId)
  if (world === undefined) throw noSuchCode()

  let begun = await spend(context, link, orderOf(link, fields))
  // The sponsor may have changed since the link was read; whatever else did, it opens nothing any longer.
  while (begun === undefined) {
    link = await openLink(context, fields.code)
    begun = await spend(context, link, orderOf(link, fields))
  }
  const { errand, key, pin } = begun
  await context.failpoints.reach('membership.code-spent')
  const joined = await addMember(context, errand)
  if (joined === undefined || 'refusal' in joined) throw noSuchCode()

  const { member } = joined
  const character = member.character === '' ? null : { id: member.character, name: member.character_name }
  const roll = await context.roll.read(worldId, member.id)
  return created({
    kind: member.kind,
    key,
    pin,
    character,
    with_character: link.withCharacter,
    seat: { id: member.id, role: member.role, agent_name: member.kind === 'agent' ? member.name : null },
    world: { id: worldId, name: world.name, description: world.description },
    members: (roll ?? []).map(rosterRow),
    env: envOf({ key, pin, worldId, character: character?.id ?? null }, context.apiUrl),
    next: nextSteps(pin, context.apiUrl),
  })
}

/** Nothing when the link is not as it was read. */
async function spend(context: Context, link: OpenLink, order: MemberOrder): Promise<BegunSeat | undefined> {
  const { id: viaId, worldId, ownerAccount } = link
  return context.db.transaction(async (tx) => {
    // The account comes first, as its deletion takes it: so neither waits for the other in a circle.
    const isThere = link.sponsorAccount !== null && (await lockAccount(tx, link.sponsorAccount))
    if (!(await spendJoinLink(tx, viaId, link.sponsorAccount))) return undefined
    const via = order.kind === 'agent' ? 'agent-link' : 'player'
    const sponsorAccount = isThere ? link.sponsorAccount : null
    const seat = await beginSeat(context, tx, { worldId, via, viaId, sponsorAccount, ownerAccount, order })
    if (seat === undefined) throw noSuchCode()
    return seat
  })
}

/** A Character that the link names and that cannot be played any longer gives way to a fresh one. */
function orderOf(link: OpenLink, fields: Fields<typeof readers>): MemberOrder {
  const { role, withCharacter } = link
  const character = withCharacter ? link.character : null
  if (link.reader === 'agent') {
    if (fields.name !== undefined) throw new RefusalError(unknownField('name'))
    if (fields.agent_name === undefined) throw new RefusalError(invalid('agent_name', 'agent_name is required.'))
    const made = withCharacter ? ({ name: fields.agent_name, supertype: 'Agent' } as const) : null
    return { kind: 'agent', role, name: fields.agent_name, character, made, maker: null }
  }
  if (fields.agent_name !== undefined) throw new RefusalError(unknownField('agent_name'))
  const called = fields.name || link.name || 'Guest'
  const made = withCharacter ? ({ name: called, supertype: 'Guest' } as const) : null
  return { kind: 'person', role, name: '', character, made, maker: null }
}
