import { overBudget, type Refusal } from '@worlds/domain/errors'
import type { Redis } from 'ioredis'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

export interface BudgetConfig {
  /** Requests per key or token in one window. */
  readonly requests: number
  readonly windowS: number
  /** Unknown credentials per address in one minute. */
  readonly unknownPerMinute: number
}

export interface Spent {
  readonly refusal: Refusal | null
  readonly headers: Record<string, string>
}

/** The request budget (L513). While Redis is away requests go unbudgeted. */
export class Budget {
  readonly #requests: RateLimiterRedis
  readonly #unknown: RateLimiterRedis

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
  }

  /** Takes one request from the budget of a key or token. */
  async spend(credential: string): Promise<Spent> {
    const result = await consume(this.#requests, credential)
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
  async spendUnknown(address: string): Promise<Refusal | null> {
    const result = await consume(this.#unknown, address)
    if (result === null || result.consumedPoints <= this.config.unknownPerMinute) return null
    return overBudget(Math.max(1, Math.ceil(result.msBeforeNext / 1000)))
  }
}

/** How long a request waits to be budgeted, while Redis stalls, before it goes on without. */
const patienceMs = 500

/** Null while Redis is away, or too slow to wait for. */
function consume(limiter: RateLimiterRedis, key: string): Promise<RateLimiterRes | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs, null)
    const settle = (result: unknown) => {
      clearTimeout(timer)
      resolve(result instanceof RateLimiterRes ? result : null)
    }
    limiter.consume(key).then(settle, settle)
  })
}
