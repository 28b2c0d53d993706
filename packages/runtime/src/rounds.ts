/** Work that is looked for at once when somebody asks, and every so often; one round at a time. */
export class Rounds {
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #underWay = false
  #again = false
  #stopped = false

  /** `work` settles its own failures, and looks at `stopped` before each piece of a round. */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
  ) {}

  get stopped(): boolean {
    return this.#stopped
  }

  /** Looks at once; when a round is under way, once more after it. */
  start(): void {
    this.#again = this.#underWay
    if (this.#underWay || this.#stopped) return
    this.#underWay = true
    clearTimeout(this.#timer)
    this.#round = this.work().then(() => {
      this.#underWay = false
      if (this.#again) this.start()
      else if (!this.#stopped) this.#timer = setTimeout(() => this.start(), this.everyMs)
    })
  }

  /** Resolves once the piece under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#round
  }
}
