/** Tells the file service what was stored. */
import type { Producer, Told } from '@worlds/runtime/queue-ends'
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

  constructor(
    private readonly producer: Producer<'file-stored'>,
    private readonly afterwards: Afterwards,
  ) {}

  add(id: string, job: Told<'file-stored'>['job']): void {
    this.#waiting.push(this.producer.told(id, job))
    if (this.#timer === undefined) this.#send()
  }

  #send(): void {
    const some = this.#waiting
    this.#waiting = []
    this.#timer = some.length === 0 ? undefined : setTimeout(() => this.#send(), togetherMs)
    if (some.length === 0) return
    const ids = some.map(({ id }) => id)
    this.afterwards.do(() => this.producer.addAll(some), 'what was stored is not reported', { ids })
  }

  /** All that were added are on their way. */
  end(): void {
    clearTimeout(this.#timer)
    this.#send()
    clearTimeout(this.#timer)
  }
}
