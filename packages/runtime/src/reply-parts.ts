import { status } from '@grpc/grpc-js'
import type { RpcError } from './rpc-stream'

/** Bytes of a streamed reply that may be on their way to a client that has not taken them yet. */
export const replyWindow = 512 << 10

interface Link {
  /** Lets the server send so many bytes more. */
  grant(bytes: number): void
  /** Ends the call, which then fails with this status. */
  abandon(code: status): void
}

/**
 * The parts of a streamed reply, as they are taken: the server is granted a part's bytes when the next part is asked
 * for, so that a slow consumer holds `replyWindow` bytes of it and the rest waits in the server.
 */
export class ReplyParts implements AsyncIterable<Buffer> {
  readonly #ready: Buffer[] = []
  #ended = false
  #error: RpcError | null = null
  #changed: (() => void) | null = null
  #taken = 0

  constructor(
    private readonly link: Link,
    private readonly patienceMs: number,
  ) {}

  /** Called by the stream, as parts come. */
  add(part: Buffer, isLast: boolean): void {
    this.#ready.push(part)
    this.#ended = isLast
    this.#wake()
  }

  /** Called by the stream when no further part will come. */
  fail(error: RpcError): void {
    this.#error = error
    this.#wake()
  }

  /** Null after the last part. Rejects when the call fails, or no part comes in time. */
  async next(): Promise<Buffer | null> {
    if (this.#taken > 0 && !this.#ended) this.link.grant(this.#taken)
    this.#taken = 0
    while (this.#ready.length === 0) {
      if (this.#error !== null) throw this.#error
      if (this.#ended) return null
      await this.#change()
    }
    const part = this.#ready.shift() as Buffer
    this.#taken = part.length
    return part
  }

  cancel(): void {
    if (!this.#ended && this.#error === null) this.link.abandon(status.CANCELLED)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (let part = await this.next(); part !== null; part = await this.next()) yield part
    } finally {
      this.cancel()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.link.abandon(status.DEADLINE_EXCEEDED), this.patienceMs)
      this.#changed = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #wake(): void {
    this.#changed?.()
    this.#changed = null
  }
}
