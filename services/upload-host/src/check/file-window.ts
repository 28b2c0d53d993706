import type { FileHandle } from 'node:fs/promises'

/** More than the longest record of a zip: 46 bytes and three texts of 65,535. */
const windowBytes = 262_144
export const chunkBytes = 65_536

/** Reads a file at any place, a window at a time, so that thousands of small reads in a row cost few. */
export class FileWindow {
  readonly size: number
  readonly #handle: FileHandle
  #held = Buffer.alloc(0)
  #from = 0

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  /** Null when the file does not hold all of these bytes. What was returned stays as it is. */
  async at(position: number, length: number): Promise<Buffer | null> {
    if (position < 0 || position + length > this.size) return null
    const isHeld = position >= this.#from && position + length <= this.#from + this.#held.length
    if (!isHeld) await this.#load(position)
    const bytes = this.#held.subarray(position - this.#from, position - this.#from + length)
    return bytes.length === length ? bytes : null
  }

  /** Bytes in order, in chunks; fewer than asked for when the file does not hold them all. */
  async *chunks(position: number, length: number): AsyncGenerator<Buffer> {
    const end = position + length
    for (let at = position; at < end; ) {
      const chunk = await this.at(at, Math.min(chunkBytes, end - at))
      if (chunk === null) return
      yield chunk
      at += chunk.length
    }
  }

  async #load(position: number): Promise<void> {
    // A new buffer each time: what was handed out may still be unpacked by another thread.
    const buffer = Buffer.allocUnsafe(Math.min(windowBytes, this.size - position))
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await this.#handle.read(buffer, length, buffer.length - length, position + length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    this.#held = buffer.subarray(0, length)
    this.#from = position
  }
}
