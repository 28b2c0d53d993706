import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { addErrand, type Errand, runErrand } from '../errands'
import { markAccountDeleted } from '../store/accounts'
import { deleteAllowance } from '../store/allowances'
import { deleteEmails } from '../store/emails'
import { deleteKeysOfOwner } from '../store/keys'
import { endLinkSponsorships, endSponsorships, listMemberships } from '../store/member-ties'
import { deleteTokens } from '../store/tokens'
import { deleteAllWatched } from '../store/watched'
import { markWorldsDeleted } from '../store/worlds'
import { inBackground } from './in-background'
import { noContent } from './reply'

/**
 * With one commit the account is gone: its tokens, and the keys of its worlds. What element must still be told, of each
 * world and each membership that it ever had, is in that commit, so it is told whatever happens; and so is that its
 * images go, which nobody waits for.
 */
export async function deleteAccount(context: Context, request: AccountRequest): Promise<Reply> {
  const accountId = request.account_id
  const { errands, images } = await context.db.transaction(async (tx) => {
    if (!(await markAccountDeleted(tx, accountId))) throw new RefusalError(noSuch('account'))
    await deleteTokens(tx, accountId)
    await deleteEmails(tx, accountId)
    await deleteAllWatched(tx, accountId)
    await deleteAllowance(tx, accountId)
    const errands: Errand[] = []
    for (const worldId of await markWorldsDeleted(tx, accountId)) {
      errands.push(await addErrand(context, tx, { kind: 'close-world', worldId, payload: {} }))
    }
    await deleteKeysOfOwner(tx, accountId)
    await endLinkSponsorships(tx, accountId, null)
    for (const worldId of await endSponsorships(tx, accountId, null)) {
      errands.push(await addErrand(context, tx, { kind: 'raise-world', worldId, payload: {} }))
    }
    for (const { id: memberId, worldId } of await listMemberships(tx, accountId)) {
      const payload = { memberId, accountId, forget: true }
      errands.push(await addErrand(context, tx, { kind: 'end-membership', worldId, payload }))
    }
    const images = await addErrand(context, tx, { kind: 'forget-images', worldId: null, payload: { accountId } })
    return { errands, images }
  })
  await context.failpoints.reach('membership.account-deleted')
  inBackground(context, 'telling of a deleted account', runErrand(context, images))
  await Promise.all(errands.map((errand) => runErrand(context, errand)))
  return noContent()
}
