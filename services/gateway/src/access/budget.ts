import { overBudget, type Refusal } from '@worlds/domain/errors'
import { addressGroup } from '@worlds/runtime/client-address'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

export interface BudgetConfig {
  /** Requests per key or token in one window. */
  readonly requests: number
  readonly windowS: number
  /** Unknown credentials per address in one minute. */
  readonly unknownPerMinute: number
  /** Unknown ten-digit keys over all addresses in one minute. */
  readonly unknownTenDigitPerMinute: number
}

export interface Spent {
  readonly refusal: Refusal | null
  readonly headers: Record<string, string>
}

/** The request budget. While Redis is away requests go unbudgeted. */
export class Budget {
  readonly #requests: RateLimiterRedis
  readonly #unknown: RateLimiterRedis
  readonly #unknownTenDigit: RateLimiterRedis

  constructor(
    redis: Redis,
    private readonly config: BudgetConfig,
  ) {
    const common = { storeClient: redis, rejectIfRedisNotReady: true }
    this.#requests = new RateLimiterRedis({
      ...common,
      keyPrefix: 'budget',
      points: config.requests,
      duration: config.windowS,
    })
    this.#unknown = new RateLimiterRedis({
      ...common,
      keyPrefix: 'unknown',
      points: config.unknownPerMinute,
      duration: 60,
    })
    this.#unknownTenDigit = new RateLimiterRedis({
      ...common,
      keyPrefix: 'unknown-ten-digit',
      points: config.unknownTenDigitPerMinute,
      duration: 60,
    })
  }

  /** Takes one request from the budget of a key or token. */
  async spend(credential: string): Promise<Spent> {
    const result = await within(this.#requests.consume(credential))
    if (result === null) return { refusal: null, headers: {} }
    const resetS = Math.max(1, Math.ceil(result.msBeforeNext / 1000))
    const headers = {
      'ratelimit-limit': String(this.config.requests),
      'ratelimit-remaining': String(Math.max(0, result.remainingPoints)),
      'ratelimit-reset': String(resetS),
    }
    return { refusal: result.consumedPoints > this.config.requests ? overBudget(resetS) : null, headers }
  }

  /** Counts a credential that nobody holds against the address it came from; null while that may go on. */
  async spendUnknown(address: string, isTenDigitKey = false): Promise<Refusal | null> {
    const [result] = await Promise.all([
      within(this.#unknown.consume(addressGroup(address))),
      isTenDigitKey ? within(this.#unknownTenDigit.consume(everybody)) : null,
    ])
    return refusalBeyond(result, this.config.unknownPerMinute)
  }

  /**
   * Refuses to look a ten-digit key up while its address, or all addresses together, have sent as many unknown ones as
   * a minute allows. There are few enough of these keys to try them all, from many addresses at once.
   */
  async findGuessBrake(address: string): Promise<Refusal | null> {
    const { unknownPerMinute, unknownTenDigitPerMinute } = this.config
    const [own, all] = await Promise.all([
      within(this.#unknown.get(addressGroup(address))),
      within(this.#unknownTenDigit.get(everybody)),
    ])
    return refusalBeyond(own, unknownPerMinute - 1) ?? refusalBeyond(all, unknownTenDigitPerMinute - 1)
  }
}

/** The name of the one counter that all addresses share. */
const everybody = 'all'

function refusalBeyond(result: RateLimiterRes | null, most: number): Refusal | null {
  if (result === null || result.consumedPoints <= most) return null
  return overBudget(Math.max(1, Math.ceil(result.msBeforeNext / 1000)))
}

/** How long a request waits to be budgeted, while Redis stalls, before it goes on without. */
const patienceMs = 500

/** Null while Redis is away, or too slow to wait for. */
function within(asked: Promise<RateLimiterRes | null>): Promise<RateLimiterRes | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs, null)
    const settle = (result: unknown) => {
      clearTimeout(timer)
      resolve(result instanceof RateLimiterRes ? result : null)
    }
    asked.then(settle, settle)
  })
}
