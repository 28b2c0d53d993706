/** Steps 4 to 8 of the order of checks: credentials, budget, `as`, scope, PIN. */
import { invalid, type Refusal, readOnlyKey } from '@worlds/domain/errors'
import type { PinGuard } from '@worlds/runtime/pin-guard'
import type { Pepper } from '@worlds/runtime/secrets'
import type { Budget, Spent } from './budget'
import { comparePin, decidePin } from './pin'
import type { Holder, WorldKeys } from './world-key'

/** What a route asks of the key: its roster routes want no PIN even of a legacy key (A45). */
export type KeyAccess = 'roster' | 'read' | 'write'

export interface KeyedRequest {
  readonly key: string | undefined
  readonly pin: string | undefined
  readonly address: () => string
  /** The query carries `as` on a route that has none. */
  readonly strayAs: boolean
}

export interface AccessScope {
  readonly keys: WorldKeys
  readonly budget: Budget
  readonly pins: PinGuard
  readonly peppers: readonly Pepper[]
}

export type Admission =
  /** Not `fresh`: the holder is what was kept, so a refusal that follows from it proves nothing yet. */
  | { readonly holder: Holder; readonly fresh: boolean; readonly headers: Record<string, string> }
  | { readonly refusal: Refusal; readonly headers: Record<string, string> }

/** `again` repeats an admission whose principal was out of date: the request is budgeted already. */
export async function admit(
  scope: AccessScope,
  access: KeyAccess,
  request: KeyedRequest,
  again: boolean,
): Promise<Admission> {
  const found = await scope.keys.find(request.key, again)
  if ('refusal' in found) return { refusal: await refuseKey(scope, request, found.refusal), headers: {} }
  let { holder, fresh } = found
  if (!fresh && isDoubtful(scope, access, request, holder)) {
    const anew = await scope.keys.find(request.key, true)
    if ('refusal' in anew) return { refusal: await refuseKey(scope, request, anew.refusal), headers: {} }
    holder = anew.holder
    fresh = true
  }

  const asksPin = needsPin(access, holder)
  const isInScope = access !== 'write' || holder.principal?.scope === 'write'
  const checksPin = asksPin && isInScope && !request.strayAs
  // One round trip to Redis carries both.
  const [spent, pinRefusal] = await Promise.all([
    again ? nothingSpent : scope.budget.spend(holder.key_id),
    checksPin ? decidePin(scope.pins, holder, comparePin(holder, request.pin, scope.peppers)) : null,
  ])
  const { headers } = spent
  if (spent.refusal !== null) return { refusal: spent.refusal, headers }
  if (request.strayAs) return { refusal: strayAs(), headers }
  if (!isInScope) return { refusal: readOnlyKey(), headers }
  return pinRefusal === null ? { holder, fresh, headers } : { refusal: pinRefusal, headers }
}

/** Why the key opens nothing, whatever it is used for; null for a key that membership knows. */
export async function identify(scope: AccessScope, request: KeyedRequest): Promise<Refusal | null> {
  const found = await scope.keys.find(request.key, false)
  return 'refusal' in found ? refuseKey(scope, request, found.refusal) : null
}

export function strayAs(): Refusal {
  return { ...invalid('as', 'This route does not read as another.'), where: 'query' }
}

const nothingSpent: Spent = { refusal: null, headers: {} }

/** Whether what was kept of the key would refuse the request: then membership is asked first. */
function isDoubtful({ peppers }: AccessScope, access: KeyAccess, request: KeyedRequest, holder: Holder): boolean {
  if (access === 'write' && holder.principal?.scope !== 'write') return true
  return needsPin(access, holder) && comparePin(holder, request.pin, peppers) !== 'right'
}

/** An owner without a PIN has nothing to guard with (A46); a member without one has nothing to write with. */
function needsPin(access: KeyAccess, { principal, pin_digest, legacy, public_read }: Holder): boolean {
  if (access === 'roster') return false
  if (pin_digest === '' && principal?.kind === 'owner') return false
  return access === 'write' || (legacy && !public_read)
}

async function refuseKey({ budget }: AccessScope, request: KeyedRequest, refusal: Refusal): Promise<Refusal> {
  const wasSent = request.key !== undefined && request.key !== ''
  if (!wasSent || refusal.code !== 'invalid_credentials') return refusal
  return (await budget.spendUnknown(request.address())) ?? refusal
}
