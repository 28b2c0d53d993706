import type { Redis } from 'ioredis'
import { addressGroup } from './client-address'
import { pinScript } from './pin-script'

/** What the comparison of a sent PIN with the stored one resulted in. */
export type PinOutcome = 'right' | 'wrong' | 'missing'

export interface PinGuardConfig {
  /** Wrong PINs from one address before its first lockout. */
  readonly tries: number
  /** Lockouts of an address, one after another; the last repeats. */
  readonly lockoutsMs: readonly number[]
  /** Wrong PINs over all addresses in one window; beyond them only known addresses are compared. */
  readonly triesPerWindow: number
  /** How long a wrong PIN counts and an address stays known after a right PIN. */
  readonly windowMs: number
  /** Known addresses that are remembered per PIN holder; the longest unused is forgotten first. */
  readonly knownAddresses: number
}

export interface PinDecision {
  /** Milliseconds until the next attempt from this address is compared, or 0. */
  readonly lockedMs: number
  /** The PIN holder's account must be notified that its PIN is being guessed. */
  readonly mustNotify: boolean
}

type PinCommand = (...args: (string | number)[]) => Promise<[number, number]>

/**
 * Decides whether an attempt at a PIN counts, passes or is refused. The caller compares in constant time and passes the
 * outcome; one script per PIN holder decides in one step, so guesses made in parallel gain nothing and right PINs made
 * in parallel never lock. Nothing may be answered before the script has decided.
 */
export class PinGuard {
  readonly #run: PinCommand
  readonly #args: (string | number)[]

  constructor(redis: Redis, config: PinGuardConfig) {
    redis.defineCommand('decidePin', { numberOfKeys: 5, lua: pinScript })
    this.#run = (redis as unknown as { decidePin: PinCommand }).decidePin.bind(redis)
    const { tries, lockoutsMs, triesPerWindow, windowMs, knownAddresses } = config
    this.#args = [windowMs, triesPerWindow, knownAddresses, tries, ...lockoutsMs]
  }

  /** Rejects while Redis is away or refuses writes: the caller must then refuse the attempt, a right one too. */
  async decide(holder: string, address: string, outcome: PinOutcome): Promise<PinDecision> {
    const group = addressGroup(address)
    const root = `pin:{${holder}}`
    const keys = [root, `${root}:wrong`, `${root}:known`, `${root}:notified`, `${root}:at:${group}`]
    const [lockedMs, notify] = await this.#run(...keys, group, outcome, ...this.#args)
    return { lockedMs, mustNotify: notify === 1 }
  }
}

interface PinSettings {
  integer(name: string, fallback: number): number
  list(name: string, fallback: string): string[]
}

/** Reads the `PIN_…` settings, which all services that compare PINs must share. */
export function readPinGuardConfig(env: PinSettings): PinGuardConfig {
  return {
    tries: env.integer('PIN_TRIES', 5),
    lockoutsMs: env.list('PIN_LOCKOUTS_MS', '30000,60000,300000,900000,3600000,21600000,86400000').map(Number),
    triesPerWindow: env.integer('PIN_TRIES_PER_WINDOW', 50),
    windowMs: env.integer('PIN_WINDOW_MS', 86_400_000),
    knownAddresses: env.integer('PIN_KNOWN_ADDRESSES', 100),
  }
}
