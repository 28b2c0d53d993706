import { pageBytes } from '@worlds/runtime/page'
import { LRUCache } from 'lru-cache'

/** Estimates the bytes of a page before it is read, by the largest element that its world was last seen to have. */
export class PageSizes {
  readonly #largest = new LRUCache<string, number>({ max: 10_000 })

  /** At most so many bytes, unless the world has got a larger element since. */
  expect(worldId: string, rows: number): number {
    const largest = this.#largest.get(worldId)
    return largest === undefined ? pageBytes : Math.min(pageBytes, largest * rows)
  }

  learn(worldId: string, largest: number): void {
    this.#largest.set(worldId, largest)
  }
}
