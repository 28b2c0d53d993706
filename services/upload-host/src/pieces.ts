/** Smaller ones are joined. */
const small = 4_096
const atOnce = 512

/** Pieces of a body as they are kept: a client may send byte by byte, and each piece of its own costs more than it holds. */
export class Pieces {
  #small: Buffer[] = []

  /** What is to be kept by now, in order. */
  add(chunk: Buffer): Buffer[] {
    if (chunk.length >= small) return [...this.end(), chunk]
    this.#small.push(chunk)
    return this.#small.length < atOnce ? [] : this.end()
  }

  /** What is left. */
  end(): Buffer[] {
    const left = this.#small
    this.#small = []
    return left.length < 2 ? left : [Buffer.concat(left)]
  }
}
