/** Starts processes again that end while the system runs. One that ends before the system is ready ends the run instead. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from './run'

export interface Supervised {
  /** Resolves to how the process ended: `exit 1`, `SIGKILL`. */
  ended(): Promise<string>
  /** Starts it again where its clients look for it. Rejects when it ends before it serves. */
  start(): Promise<unknown>
}

/** The pause before a restart doubles each time, and is the first again once the process has run for `steadyMs`. */
const restartPauses = { firstMs: 1_000, longestMs: 30_000, steadyMs: 60_000 }

export class Supervisor {
  readonly #loops = new Map<string, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #stopped: Promise<null>
  #restarted: () => Promise<void> = async () => undefined
  #isReady = false

  constructor(
    private readonly run: Pick<Run, 'say' | 'fail'>,
    private readonly pauses = restartPauses,
  ) {
    const { signal } = this.#stopping
    this.#stopped = new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)))
  }

  /** Watches a process that was started under this name, once. */
  watch(name: string, process: Supervised): void {
    if (!this.#loops.has(name)) this.#loops.set(name, this.#keepRunning(name, process))
  }

  /** From now on processes are restarted; `restarted` is called after each time. */
  begin(restarted: () => Promise<void>): void {
    this.#restarted = restarted
    this.#isReady = true
  }

  /** Nothing is restarted any longer once this resolves. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops.values())
  }

  async #keepRunning(name: string, process: Supervised): Promise<void> {
    const { firstMs, longestMs, steadyMs } = this.pauses
    for (let pauseMs = firstMs, since = Date.now(); ; ) {
      const how = await Promise.race([process.ended(), this.#stopped])
      if (how === null || this.#stopping.signal.aborted) return
      if (!this.#isReady) return this.run.fail(new Error(`${name} ended unexpectedly (${how})`))
      if (Date.now() - since >= steadyMs) pauseMs = firstMs
      this.run.say(`${name} ended (${how}): starting it again in ${pauseMs / 1_000} s`)
      await sleep(pauseMs, null, { signal: this.#stopping.signal }).catch(() => null)
      if (this.#stopping.signal.aborted) return
      pauseMs = Math.min(pauseMs * 2, longestMs)
      await this.#restart(name, process)
      since = Date.now()
    }
  }

  async #restart(name: string, process: Supervised): Promise<void> {
    try {
      await process.start()
      await this.#restarted()
      this.run.say(`${name} runs again`)
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.run.say(`${name} did not start: ${(error as Error).message}`)
    }
  }
}
