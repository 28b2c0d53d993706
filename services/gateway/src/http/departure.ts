import type { ServerResponse } from 'node:http'

/** Tells when a client leaves before it is answered. The signal is made only for who asks for it. */
export class Departure {
  #abort: AbortController | undefined

  constructor(private readonly response: ServerResponse) {}

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      if (this.response.destroyed) abort.abort()
      else this.response.once('close', () => this.response.writableFinished || abort.abort())
    }
    return this.#abort.signal
  }
}
