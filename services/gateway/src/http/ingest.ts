/** A body that is being received, or was and is still worked on. */
interface Body {
  bytes: number
  readonly refuse: () => void
}

/**
 * A limit on the bytes of request bodies that the process holds at once. When a body would exceed it, the body that has
 * been arriving for the longest time is refused: a client that sends at its full speed is done before that is its own,
 * however many slow ones there are.
 */
export class Ingest {
  /** Bodies that are not complete, the oldest first. */
  readonly #arriving = new Set<Body>()
  #held = 0

  constructor(private readonly capacity: number) {}

  get held(): number {
    return this.#held
  }

  /** `refuse` is called when the body must make room for others. */
  open(refuse: () => void): IngestedBody {
    const body: Body = { bytes: 0, refuse }
    this.#arriving.add(body)
    return {
      add: (bytes) => {
        body.bytes += bytes
        this.#held += bytes
        this.#makeRoom()
      },
      complete: () => this.#arriving.delete(body),
      release: () => {
        this.#arriving.delete(body)
        this.#held -= body.bytes
        body.bytes = 0
      },
    }
  }

  #makeRoom(): void {
    for (const body of this.#arriving) {
      if (this.#held <= this.capacity) return
      this.#arriving.delete(body)
      this.#held -= body.bytes
      body.bytes = 0
      body.refuse()
    }
  }
}

export interface IngestedBody {
  add(bytes: number): void
  /** All of it has come: it keeps its bytes until it is released. */
  complete(): void
  release(): void
}
