import { missingPin, pinLocked, type Refusal, serverBusy, wrongPin } from '@worlds/domain/errors'
import type { PinGuard, PinOutcome } from '@worlds/runtime/pin-guard'
import { matchesDigest, type Pepper, pinText } from '@worlds/runtime/secrets'
import type { Holder } from './world-key'

/** Compares in constant time; an empty PIN counts as none. */
export function comparePin(holder: Holder, sent: string | undefined, peppers: readonly Pepper[]): PinOutcome {
  if (sent === undefined || sent === '') return 'missing'
  const text = pinText(holder.pin_holder, sent.slice(0, 200))
  return matchesDigest(peppers, text, holder.pin_digest) ? 'right' : 'wrong'
}

/** Null when the write may go on. What needs a PIN is refused while Redis is away. */
export async function decidePin(guard: PinGuard, holder: Holder, outcome: PinOutcome): Promise<Refusal | null> {
  let lockedMs: number
  try {
    lockedMs = await guard.decide(holder.pin_holder, outcome)
  } catch {
    return serverBusy()
  }
  if (lockedMs > 0) return pinLocked(Math.ceil(lockedMs / 1000))
  if (outcome === 'missing') return missingPin()
  return outcome === 'wrong' ? wrongPin() : null
}
