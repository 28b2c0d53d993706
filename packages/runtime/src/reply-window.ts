/** Bytes of one call's reply that the server may still send before the client grants more. */
export class ReplyWindow {
  #left: number
  #closed = false
  #opened: (() => void) | null = null

  /** 0 for no limit. */
  constructor(bytes: number) {
    this.#left = bytes === 0 ? Number.POSITIVE_INFINITY : bytes
  }

  /** Resolves once so much may be sent: to false when the reply is no longer wanted. A part may exceed what is left. */
  async take(bytes: number): Promise<boolean> {
    while (this.#left <= 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#opened = resolve
      })
    }
    this.#left -= bytes
    return !this.#closed
  }

  grant(bytes: number): void {
    this.#left += bytes
    this.#wake()
  }

  /** Nothing more is to be sent. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  #wake(): void {
    this.#opened?.()
    this.#opened = null
  }
}
