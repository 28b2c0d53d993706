/** One run of the system: what it holds, and why it ends. */
export class Run {
  readonly #stops: { name: string; stop: () => Promise<void> }[] = []
  readonly #began = Date.now()
  #stopping = false
  #end: (reason: Error | undefined) => void = () => undefined
  /** Resolves when the run is told to stop, with an error when it can't go on. */
  readonly ending = new Promise<Error | undefined>((resolve) => {
    this.#end = resolve
  })

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#end(undefined))
    // npm gives a SIGTERM to the shell it runs us in, which ends without telling us.
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && this.#end(undefined), 500).unref()
  }

  readonly say = (line: string): void => {
    const seconds = ((Date.now() - this.#began) / 1000).toFixed(1)
    console.log(`${seconds.padStart(6)} s  ${line}`)
  }

  /** Says what comes next, unless the run was told to stop. */
  readonly step = (line: string): void => {
    if (this.#stopping) throw new Error('told to stop')
    this.say(line)
  }

  onStop(name: string, stop: () => Promise<void>): void {
    this.#stops.push({ name, stop })
  }

  /** Ends the run with an error. */
  readonly fail = (error: Error): void => this.#end(error)

  /** Stops what was started since, in reverse order of the starts. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const { name, stop } of this.#stops.splice(0).reverse()) {
      await stop().catch((error: Error) => this.say(`${name} did not stop well: ${error.message}`))
    }
  }
}
