/**
 * The system's health, probed at most once in `lifeMs` for all requests together. The health route takes no key and no
 * request slot, so a probe for each request would let any client load the database.
 */
export class HealthCheck {
  #result: Promise<boolean> | null = null

  /** `probe` rejects when the system is not healthy. Its result, good or bad, stands for `lifeMs`. */
  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly lifeMs = 1_000,
  ) {}

  isHealthy(): Promise<boolean> {
    this.#result ??= this.#run()
    return this.#result
  }

  async #run(): Promise<boolean> {
    try {
      await this.probe()
      return true
    } catch {
      return false
    } finally {
      setTimeout(() => {
        this.#result = null
      }, this.lifeMs).unref()
    }
  }
}
