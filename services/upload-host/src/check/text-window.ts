/** How far into a text anybody looks. */
export const windowBytes = 8192

/**
 * The rule of the text kinds: within the window no NUL byte, and valid UTF-8. A character that the window's end
 * cuts is fine, one that the file's end cuts is not (D6).
 */
export class TextWindow {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #left = windowBytes
  #goesOn = false
  #isRefused = false

  push(chunk: Buffer): boolean {
    const part = chunk.subarray(0, this.#left)
    this.#left -= part.length
    this.#goesOn ||= chunk.length > part.length
    this.#isRefused ||= part.includes(0) || !this.#decodes(part, true)
    return !this.#isRefused
  }

  end(): boolean {
    return !this.#isRefused && (this.#goesOn || this.#decodes(Buffer.alloc(0), false))
  }

  #decodes(part: Buffer, stream: boolean): boolean {
    try {
      this.#decoder.decode(part, { stream })
      return true
    } catch {
      return false
    }
  }
}
