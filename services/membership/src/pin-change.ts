import { pinLocked, RefusalError, serverBusy } from '@worlds/domain/errors'
import type { PinOutcome } from '@worlds/runtime/pin-guard'
import type { Transaction } from '@worlds/runtime/postgres'
import { digest, matchesDigest, pinText } from '@worlds/runtime/secrets'
import type { Context } from './context'
import { accountPinHolder, missingCurrentPin, wrongCurrentPin } from './domain/pin'
import { addErrand, type Errand } from './errands'
import { notifyPinGuessing } from './pin-notice'
import { inBackground } from './rpc/in-background'
import { replacePin } from './store/accounts'

interface PinOwner {
  readonly id: string
  readonly pinDigest: string | null
}

/** Refuses unless the account has no PIN or `sent` is it. Guesses here and on the worlds' routes count together. */
export async function checkCurrentPin(
  context: Context,
  account: PinOwner,
  sent: string | undefined,
  address: string,
): Promise<void> {
  if (account.pinDigest === null) return
  const holder = accountPinHolder(account.id)
  const outcome = compare(context, holder, sent, account.pinDigest)
  const { lockedMs, mustNotify } = await context.pinGuard.decide(holder, address, outcome).catch((error: unknown) => {
    context.log.warn({ err: error }, 'PIN attempt could not be counted')
    throw new RefusalError(serverBusy())
  })
  if (mustNotify) inBackground(context, 'notifying of PIN guessing', notifyPinGuessing(context, holder))
  if (lockedMs > 0) throw new RefusalError(pinLocked(Math.ceil(lockedMs / 1000)))
  if (outcome === 'missing') throw new RefusalError(missingCurrentPin())
  if (outcome === 'wrong') throw new RefusalError(wrongCurrentPin())
}

function compare(context: Context, holder: string, sent: string | undefined, stored: string): PinOutcome {
  if (sent === undefined) return 'missing'
  return matchesDigest(context.peppers, pinText(holder, sent), stored) ? 'right' : 'wrong'
}

/**
 * Sets the PIN unless it has changed since `account` was read. The errand that comes back must be run after the commit
 * and before the answer: it ends every cached principal that still carries the old PIN.
 */
export async function changePin(
  context: Context,
  tx: Transaction,
  account: PinOwner,
  pin: string,
): Promise<Errand | undefined> {
  const to = digest(context.peppers, pinText(accountPinHolder(account.id), pin))
  if (!(await replacePin(tx, account.id, account.pinDigest, to))) return undefined
  return addErrand(context, tx, { kind: 'raise-account', worldId: null, payload: { accountId: account.id } })
}
