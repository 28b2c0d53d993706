/**
 * Shares one probe among all who ask for the system's health. The health route takes no key and no request slot, so
 * without this anybody could make the database as busy as they can send requests.
 */
export class HealthCheck {
  #result: Promise<boolean> | null = null

  /** `probe` rejects when the system is not healthy. A result, good or bad, is reused for `lifeMs` after it arrived. */
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
