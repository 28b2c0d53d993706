/**
 * Who a world key speaks for. What membership says of a key is cached for a short while; it holds
 * exactly as long as the world's auth version stands, which element and change-feed check in the
 * statements that they run anyway. A refusal never rests on the cache.
 */
import { keyRevoked, missingKey, type Refusal, unknownKey } from '@worlds/domain/errors'
import type { KeyHolder__Output } from '@worlds/proto/generated/worlds/membership/v1/KeyHolder'
import { digests, type Pepper } from '@worlds/runtime/secrets'
import { LRUCache } from 'lru-cache'
import type { Clients } from '../clients'
import type { Budget } from './budget'
import { isTenDigitKey } from './legacy-key'

export type Holder = KeyHolder__Output

export type Found = { readonly holder: Holder; readonly fresh: boolean } | { readonly refusal: Refusal }

/** Keys that any client could have been given are shorter by far. */
const longestKey = 200

const dayMs = 86_400_000

export class WorldKeys {
  readonly #cache: LRUCache<string, Holder>
  /** Ten-digit keys that were live within a day: others' guesses must not keep their holders out. */
  readonly #live = new LRUCache<string, true>({ max: 10_000, ttl: dayMs })

  constructor(
    private readonly clients: Pick<Clients, 'authenticateKey'>,
    private readonly budget: Pick<Budget, 'findGuessBrake'>,
    private readonly peppers: readonly Pepper[],
    ttlMs: number,
  ) {
    this.#cache = new LRUCache({ max: 10_000, ttl: ttlMs })
  }

  /** `fresh` asks membership whatever is cached. */
  async find(key: string | undefined, fresh: boolean, address: () => string): Promise<Found> {
    if (key === undefined || key === '') return { refusal: missingKey() }
    if (key.length > longestKey) return { refusal: unknownKey() }
    const all = digests(this.peppers, key)
    const [name = ''] = all
    const cached = fresh ? undefined : this.#cache.get(name)
    if (cached !== undefined) return { holder: cached, fresh: false }
    const isGuessable = isTenDigitKey(key)
    const brake = isGuessable && !this.#live.has(name) ? await this.budget.findGuessBrake(address()) : null
    if (brake !== null) return { refusal: brake }
    const { holder, refusal } = await this.clients.authenticateKey(all)
    if (holder === undefined || holder === null) {
      this.#cache.delete(name)
      this.#live.delete(name)
      return { refusal: refusal?.code === 'key_revoked' ? keyRevoked() : unknownKey() }
    }
    this.#cache.set(name, holder)
    if (isGuessable) this.#live.set(name, true)
    return { holder, fresh: true }
  }
}
