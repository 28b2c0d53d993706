/**
 * Sponsors who are not members of the world: they are offered the sponsorship, and sponsor once they have accepted. Until
 * then, and after a refusal, the owner sponsors. Offers go to emails, whether or not an account has them.
 */
import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import type { Context } from './context'
import type { Email } from './domain/email'
import type { LinkSponsor, SponsorOffer } from './domain/sharing'
import { addErrand, runErrand } from './errands'
import { lockAccount } from './store/accounts'
import { findVerifiedEmail } from './store/emails'
import {
  deleteSponsorOffer,
  lockMemberByEmail,
  lockSponsorOffer,
  takeUpSponsorOffer,
  upsertSponsorOffer,
} from './store/sponsor-offers'
import type { OwnedWorld } from './store/worlds'

export async function chooseSponsor(tx: Transaction, world: OwnedWorld, email: Email | null): Promise<LinkSponsor> {
  if (email === null) return { account: null, offer: null }
  const found = await findVerifiedEmail(tx, email.folded)
  if (found?.accountId === world.ownerAccount) return { account: null, offer: null }
  const account = await lockMemberByEmail(tx, world.id, email.folded)
  if (account !== undefined) return { account, offer: null }
  return { account: null, offer: await upsertSponsorOffer(tx, uuidv7(), world.id, email.folded) }
}

/** Nothing when the account has no such offer. The seats act on the account from the answer on. */
export async function acceptSponsorOffer(
  context: Context,
  accountId: string,
  id: string,
): Promise<SponsorOffer | undefined> {
  const accepted = await context.db.transaction(async (tx) => {
    // The account comes first, as its deletion takes it: so neither waits for the other in a circle.
    if (!(await lockAccount(tx, accountId))) throw new RefusalError(noSuch('account'))
    const offer = await lockSponsorOffer(tx, accountId, id)
    if (offer === undefined) return undefined
    await takeUpSponsorOffer(tx, id, accountId)
    await deleteSponsorOffer(tx, id)
    return { offer, errand: await addErrand(context, tx, { kind: 'raise-world', worldId: offer.worldId, payload: {} }) }
  })
  if (accepted === undefined) return undefined
  await runErrand(context, accepted.errand)
  return accepted.offer
}

/** False when the account has no such offer. */
export async function refuseSponsorOffer(context: Context, accountId: string, id: string): Promise<boolean> {
  return context.db.transaction(async (tx) => {
    const offer = await lockSponsorOffer(tx, accountId, id)
    if (offer !== undefined) await deleteSponsorOffer(tx, id)
    return offer !== undefined
  })
}
