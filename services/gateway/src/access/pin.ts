import { missingPin, pinLocked, type Refusal, serverBusy, wrongPin } from '@worlds/domain/errors'
import type { PinGuard, PinOutcome } from '@worlds/runtime/pin-guard'
import { matchesDigest, type Pepper, pinText } from '@worlds/runtime/secrets'
import type { Holder } from './world-key'

export interface PinScope {
  readonly pins: PinGuard
  readonly notifier: { notify(pinHolder: string): void }
}

/** Compares in constant time; an empty PIN counts as none. */
export function comparePin(holder: Holder, sent: string | undefined, peppers: readonly Pepper[]): PinOutcome {
  if (sent === undefined || sent === '') return 'missing'
  const text = pinText(holder.pin_holder, sent.slice(0, 200))
  return matchesDigest(peppers, text, holder.pin_digest) ? 'right' : 'wrong'
}

/** Null when the request may go on. What needs a PIN is refused while Redis is away or refuses writes. */
export async function decidePin(
  scope: PinScope,
  holder: Holder,
  address: string,
  outcome: PinOutcome,
): Promise<Refusal | null> {
  const locked = await findLock(scope, holder, address, outcome)
  if (locked !== null) return locked
  if (outcome === 'missing') return missingPin()
  return outcome === 'wrong' ? wrongPin() : null
}

/** Counts the attempt; the refusal if this address may not try now, whatever it sent. A missing PIN counts nothing. */
export async function findLock(
  { pins, notifier }: PinScope,
  { pin_holder }: Holder,
  address: string,
  outcome: PinOutcome,
): Promise<Refusal | null> {
  try {
    const { lockedMs, mustNotify } = await pins.decide(pin_holder, address, outcome)
    if (mustNotify) notifier.notify(pin_holder)
    return lockedMs > 0 ? pinLocked(Math.ceil(lockedMs / 1000)) : null
  } catch {
    return serverBusy()
  }
}
