import type { Frame } from '@worlds/proto/generated/worlds/channel/v1/Frame'

interface Sink {
  write(message: { frames: Frame[] }): boolean
  once(event: 'drain', listener: () => void): unknown
}

/** Payload bytes that one message gathers. */
const messageBytes = 256 << 10

/**
 * Gathers the frames of one turn of the event loop into few messages, and waits while the peer
 * takes none.
 */
export class FrameSender {
  #waiting: Frame[] = []
  #scheduled = false
  #blocked = false

  constructor(private readonly sink: Sink) {}

  send(frame: Frame): void {
    this.#waiting.push(frame)
    if (this.#scheduled || this.#blocked) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    while (this.#waiting.length > 0) {
      if (!this.sink.write({ frames: this.#take() })) {
        this.#blocked = true
        this.sink.once('drain', () => {
          this.#blocked = false
          this.#flush()
        })
        return
      }
    }
  }

  #take(): Frame[] {
    let count = 0
    let bytes = 0
    for (const { payload } of this.#waiting) {
      bytes += payload?.length ?? 0
      if (count > 0 && bytes > messageBytes) break
      count += 1
    }
    if (count === this.#waiting.length) {
      const all = this.#waiting
      this.#waiting = []
      return all
    }
    return this.#waiting.splice(0, count)
  }
}
