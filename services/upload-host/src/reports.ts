/** Tells the file service what was stored. */
import type { Producer, Told } from '@worlds/runtime/queue-ends'
import { outsideTraces } from '@worlds/runtime/tracing'
import type { Afterwards } from './afterwards'

/** Long enough for many to come in it where many do. */
const togetherMs = 100

/**
 * A report goes at once where none has gone lately; those that come meanwhile go together then, which costs both ends
 * hardly more than one. Nobody waits for them: what is never told is found by the file service.
 */
export class Reports {
  #waiting: Told<'file-stored'>[] = []
  #timer: NodeJS.Timeout | undefined
  #ended = false

  constructor(
    private readonly producer: Producer<'file-stored'>,
    private readonly afterwards: Afterwards,
  ) {}

  add(id: string, job: Told<'file-stored'>['job']): void {
    this.#waiting.push(this.producer.told(id, job))
    if (this.#timer === undefined || this.#ended) this.#send()
  }

  #send(): void {
    const some = this.#waiting
    this.#waiting = []
    this.#timer = undefined
    if (some.length === 0) return
    // Each report has its own trace, and the next have nothing to do with this one's.
    if (!this.#ended) this.#timer = outsideTraces(() => setTimeout(() => this.#send(), togetherMs))
    const ids = some.map(({ id }) => id)
    this.afterwards.do(() => this.producer.addAll(some), 'what was stored is not reported', { ids })
  }

  /** All that were added are on their way, and what still comes goes at once. */
  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#send()
  }
}
