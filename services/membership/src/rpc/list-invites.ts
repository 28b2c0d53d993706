import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { receivedInviteRow, sponsorOfferRow } from '../domain/sharing'
import { listReceivedInvites } from '../store/received-invites'
import { listSponsorOffers } from '../store/sponsor-offers'
import { ok } from './reply'

/** Invites as a member, then offers to sponsor; each oldest first. */
export async function listInvites(context: Context, request: AccountRequest): Promise<Reply> {
  const invites = await listReceivedInvites(context.db, request.account_id)
  const offers = await listSponsorOffers(context.db, request.account_id)
  const worlds = await context.roll.describeWorlds([...new Set([...invites, ...offers].map(({ worldId }) => worldId))])
  const show = <T extends { worldId: string }, R>(rows: readonly T[], row: (of: T, worldName: string) => R) =>
    rows.flatMap((one) => {
      const world = worlds.get(one.worldId)
      return world === undefined ? [] : [row(one, world.name)]
    })
  return ok({ data: [...show(invites, receivedInviteRow), ...show(offers, sponsorOfferRow)] })
}
