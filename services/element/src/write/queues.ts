import type { Answer, Write } from '../domain/intent'
import type { RoundScope } from './round'
import { WorldQueue } from './world-queue'

/** How long a world's queue, and the head row that it knows, are kept without a write. */
const idleMs = 60_000

/** The queues of all worlds that this process writes. Worlds never wait for each other. */
export class WriteQueues {
  readonly #queues = new Map<string, WorldQueue>()
  readonly #sweep: NodeJS.Timeout

  constructor(private readonly scope: RoundScope) {
    this.#sweep = setInterval(() => this.#dropIdle(), idleMs / 2)
    this.#sweep.unref()
  }

  submit(worldId: string, write: Write): Promise<Answer> {
    let queue = this.#queues.get(worldId)
    if (queue === undefined) {
      queue = new WorldQueue(this.scope, worldId)
      this.#queues.set(worldId, queue)
    }
    return queue.submit(write)
  }

  get size(): number {
    return this.#queues.size
  }

  close(): void {
    clearInterval(this.#sweep)
  }

  #dropIdle(): void {
    const since = Date.now() - idleMs
    for (const [worldId, queue] of this.#queues) if (queue.isIdleSince(since)) this.#queues.delete(worldId)
  }
}
