/** Enough for a short file; what a larger one leaves of its last is lost to others. */
const slabBytes = 1 << 18

/** One body's part of the memory, filled as it comes in. */
export interface Slot {
  add(chunk: Buffer): void
  /** What has come, in order. */
  pieces(): Buffer[]
  /** Nobody may be reading from memory that is to be used again. */
  give(isAtRest: boolean): void
}

/**
 * Memory for bodies, in slabs that are used again. A body's own chunks would be kept until it is stored, and age: V8 then
 * looks through the whole heap every few bodies, which costs as much CPU as all that the host does with them. Copied
 * from, they are gone with the next of its short collections.
 */
export class Slabs {
  readonly #unused: Buffer[] = []
  /** Of those that are given back, more are not kept for the next. */
  readonly #kept: number
  #left: number

  /** `bytes` bounds what bodies take of the memory, all together: others go to disk, which costs as much CPU again. */
  constructor(bytes: number) {
    this.#left = Math.floor(bytes / slabBytes)
    this.#kept = this.#left / 4
  }

  /** Room for a body of that length; null when there is not that much left. */
  take(bytes: number): Slot | null {
    const count = Math.ceil(bytes / slabBytes)
    if (count > this.#left) return null
    this.#left -= count
    const slabs: Buffer[] = []
    let filled = 0
    return {
      add: (chunk) => {
        for (let from = 0; from < chunk.length; ) {
          const at = filled % slabBytes
          if (at === 0) slabs.push(this.#unused.pop() ?? Buffer.allocUnsafeSlow(slabBytes))
          const copied = chunk.copy(slabs.at(-1) as Buffer, at, from)
          from += copied
          filled += copied
        }
      },
      pieces: () => slabs.map((slab, index) => slab.subarray(0, filled - index * slabBytes)),
      give: (isAtRest) => {
        this.#left += count
        if (isAtRest) this.#unused.push(...slabs.slice(0, this.#kept - this.#unused.length))
        slabs.length = 0
      },
    }
  }
}
