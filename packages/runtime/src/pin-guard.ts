import type { Redis } from 'ioredis'

/**
 * Decides what a PIN that was just compared comes to. The caller compares in constant time and
 * tells the outcome; this script alone, per PIN holder and in one step, says whether the holder is
 * locked, so guesses made in parallel gain nothing and right PINs made in parallel never lock.
 * Nothing may be answered before it has spoken. The clock is Redis's.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HMGET', KEYS[1], 'fails', 'tier', 'until')
local fails, tier, untilMs = tonumber(state[1]) or 0, tonumber(state[2]) or 0, tonumber(state[3]) or 0
if untilMs > now then return untilMs - now end
if ARGV[1] == 'right' then
  if state[1] or state[2] then redis.call('DEL', KEYS[1]) end
  return 0
end
if ARGV[1] == 'missing' then return 0 end
fails = fails + 1
local steps = #ARGV - 2
if tier > 0 or fails >= tonumber(ARGV[2]) then
  tier = math.min(tier + 1, steps)
  untilMs = now + tonumber(ARGV[2 + tier])
  fails = 0
end
redis.call('HSET', KEYS[1], 'fails', fails, 'tier', tier, 'until', untilMs)
return 0
`

export type PinOutcome = 'right' | 'wrong' | 'missing'

export interface PinGuardConfig {
  /** Wrong PINs before the first lockout. */
  readonly tries: number
  /** Lockouts one after another; the last repeats. */
  readonly lockoutsMs: readonly number[]
}

type PinCommand = (key: string, ...args: (string | number)[]) => Promise<number>

export class PinGuard {
  readonly #run: PinCommand
  readonly #args: (string | number)[]

  constructor(redis: Redis, config: PinGuardConfig) {
    redis.defineCommand('decidePin', { numberOfKeys: 1, lua: script })
    this.#run = (redis as unknown as { decidePin: PinCommand }).decidePin.bind(redis)
    this.#args = [config.tries, ...config.lockoutsMs]
  }

  /** Milliseconds that the holder is still locked for, or 0. Rejects while Redis is away. */
  decide(holder: string, outcome: PinOutcome): Promise<number> {
    return this.#run(`pin:{${holder}}`, outcome, ...this.#args)
  }
}

/** Reads `PIN_TRIES` and `PIN_LOCKOUTS_MS`. */
export function readPinGuardConfig(env: {
  integer(n: string, d: number): number
  list(n: string, d: string): string[]
}): PinGuardConfig {
  return {
    tries: env.integer('PIN_TRIES', 5),
    lockoutsMs: env.list('PIN_LOCKOUTS_MS', '30000,60000,300000,900000,3600000,21600000,86400000').map(Number),
  }
}
