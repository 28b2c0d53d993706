/** Steps 4 to 8 of the order of checks: credentials, budget, `as`, scope, PIN. */
import { invalid, type Refusal, readOnlyKey } from '@worlds/domain/errors'
import type { Pepper } from '@worlds/runtime/secrets'
import type { Budget, Spent } from './budget'
import { demoKeyWithPin, isDemoKey, isTenDigitKey } from './legacy-key'
import { comparePin, decidePin, findLock, type PinScope } from './pin'
import type { Holder, WorldKeys } from './world-key'

/** What a route asks of the key: its roster routes want no PIN even of a legacy key. */
export type KeyAccess = 'roster' | 'read' | 'write'

export interface KeyedRequest {
  readonly key: string | undefined
  readonly pin: string | undefined
  readonly address: () => string
  /** The query carries `as` on a route that has none. */
  readonly strayAs: boolean
  /** The request was taken from the key's budget already. */
  readonly isBudgeted?: boolean
}

export interface AccessScope extends PinScope {
  readonly keys: WorldKeys
  readonly budget: Budget
  readonly peppers: readonly Pepper[]
}

export type Admission =
  /** Not `fresh`: the holder comes from the cache, so a refusal that follows from it proves nothing yet. */
  | { readonly holder: Holder; readonly fresh: boolean; readonly headers: Record<string, string> }
  | { readonly refusal: Refusal; readonly headers: Record<string, string> }

/** `again` repeats an admission whose principal was out of date. */
export async function admit(
  scope: AccessScope,
  access: KeyAccess,
  request: KeyedRequest,
  again: boolean,
): Promise<Admission> {
  const found = await scope.keys.find(request.key, again, request.address)
  if ('refusal' in found) return { refusal: await refuseKey(scope, request, found.refusal), headers: {} }
  let { holder, fresh } = found
  let spending: Promise<Spent> | undefined
  const spend = () => {
    spending ??= again || request.isBudgeted ? Promise.resolve(nothingSpent) : scope.budget.spend(holder.key_id)
    return spending
  }
  if (!fresh && isDoubtful(scope, access, request, holder)) {
    if (checksPin(access, request, holder) && !isDemoKey(request.key)) {
      // While this address is locked out nothing may depend on the PIN, the time until the answer included.
      const [spent, lock] = await Promise.all([spend(), findLock(scope, holder, request.address(), 'missing')])
      if (lock !== null) return refuseAfter(spent, lock)
    }
    const refreshed = await scope.keys.find(request.key, true, request.address)
    if ('refusal' in refreshed) return { refusal: await refuseKey(scope, request, refreshed.refusal), headers: {} }
    holder = refreshed.holder
    fresh = true
  }

  // One round trip to Redis carries both.
  const [spent, pinRefusal] = await Promise.all([spend(), decideAttempt(scope, access, request, holder)])
  if (spent.refusal !== null) return { refusal: spent.refusal, headers: spent.headers }
  if (request.strayAs) return { refusal: strayAs(), headers: spent.headers }
  if (!isInScope(access, holder)) return { refusal: readOnlyKey(), headers: spent.headers }
  return pinRefusal === null ? { holder, fresh, headers: spent.headers } : refuseAfter(spent, pinRefusal)
}

export interface Identification {
  /** Why the key opens nothing, whatever it is used for; null for a known key within its budget. */
  readonly refusal: Refusal | null
  readonly headers: Record<string, string>
}

/** Looks the key up and takes the request from its budget, before it is known what the key is used for. */
export async function identify(scope: AccessScope, request: KeyedRequest): Promise<Identification> {
  const found = await scope.keys.find(request.key, false, request.address)
  if ('refusal' in found) return { refusal: await refuseKey(scope, request, found.refusal), headers: {} }
  return scope.budget.spend(found.holder.key_id)
}

export function strayAs(): Refusal {
  return { ...invalid('as', 'This route does not read as another.'), where: 'query' }
}

const nothingSpent: Spent = { refusal: null, headers: {} }

/** A spent budget precedes any other refusal. */
function refuseAfter({ refusal, headers }: Spent, next: Refusal): Admission {
  return { refusal: refusal ?? next, headers }
}

async function decideAttempt(
  scope: AccessScope,
  access: KeyAccess,
  request: KeyedRequest,
  holder: Holder,
): Promise<Refusal | null> {
  if (!checksPin(access, request, holder)) return null
  if (isDemoKey(request.key)) return demoKeyWithPin()
  return decidePin(scope, holder, request.address(), comparePin(holder, request.pin, scope.peppers))
}

/** Whether the cached holder would refuse the request: then membership is asked first. */
function isDoubtful({ peppers }: AccessScope, access: KeyAccess, request: KeyedRequest, holder: Holder): boolean {
  if (!isInScope(access, holder)) return true
  if (!needsPin(access, holder)) return false
  return isDemoKey(request.key) || comparePin(holder, request.pin, peppers) !== 'right'
}

function isInScope(access: KeyAccess, { principal }: Holder): boolean {
  return access !== 'write' || principal?.scope === 'write'
}

function checksPin(access: KeyAccess, { strayAs }: KeyedRequest, holder: Holder): boolean {
  return needsPin(access, holder) && isInScope(access, holder) && !strayAs
}

/** An owner without a PIN has nothing to guard with; a member without one has nothing to write with. */
function needsPin(access: KeyAccess, { principal, pin_digest, legacy, public_read }: Holder): boolean {
  if (access === 'roster') return false
  if (pin_digest === '' && principal?.kind === 'owner') return false
  return access === 'write' || (legacy && !public_read)
}

async function refuseKey({ budget }: AccessScope, request: KeyedRequest, refusal: Refusal): Promise<Refusal> {
  const { key, address } = request
  if (key === undefined || key === '' || refusal.code !== 'invalid_credentials') return refusal
  return (await budget.spendUnknown(address(), isTenDigitKey(key))) ?? refusal
}
