/**
 * Who a world key speaks for. What membership says of a key is kept for a short while; it holds
 * exactly as long as the world's auth version stands, which element and change-feed check in the
 * statements that they run anyway. A refusal never rests on what was kept.
 */
import { keyRevoked, missingKey, type Refusal, unknownKey } from '@worlds/domain/errors'
import type { KeyHolder__Output } from '@worlds/proto/generated/worlds/membership/v1/KeyHolder'
import { digests, type Pepper } from '@worlds/runtime/secrets'
import { LRUCache } from 'lru-cache'
import type { Clients } from '../clients'

export type Holder = KeyHolder__Output

export type Found = { readonly holder: Holder; readonly fresh: boolean } | { readonly refusal: Refusal }

/** Keys that any client could have been given are shorter by far. */
const longestKey = 200

export class WorldKeys {
  readonly #cache: LRUCache<string, Holder>

  constructor(
    private readonly clients: Clients,
    private readonly peppers: readonly Pepper[],
    ttlMs: number,
  ) {
    this.#cache = new LRUCache({ max: 10_000, ttl: ttlMs })
  }

  /** `fresh` asks membership anew. */
  async find(key: string | undefined, fresh: boolean): Promise<Found> {
    if (key === undefined || key === '') return { refusal: missingKey() }
    if (key.length > longestKey) return { refusal: unknownKey() }
    const all = digests(this.peppers, key)
    const [name = ''] = all
    const kept = fresh ? undefined : this.#cache.get(name)
    if (kept !== undefined) return { holder: kept, fresh: false }
    const { holder, refusal } = await this.clients.authenticateKey(all)
    if (holder === undefined || holder === null) {
      this.#cache.delete(name)
      return { refusal: refusal?.code === 'key_revoked' ? keyRevoked() : unknownKey() }
    }
    this.#cache.set(name, holder)
    return { holder, fresh: true }
  }
}
