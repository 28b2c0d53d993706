import { lookup } from 'node:dns/promises'

export interface Addressed {
  readonly address: string
  close(): void
}

interface Resolved {
  readonly address: string
  readonly family: number
}

/** How often names are looked up again: what joins or leaves a service is noticed this soon. */
const everyMs = 5_000

/**
 * The processes of one service, by their addresses: `host:port`, or `dns:name:port` for every
 * address that the name stands for at the moment (a headless Service's pods).
 */
export class Replicas<T extends Addressed> {
  readonly #fixed: readonly T[]
  readonly #names: readonly { readonly host: string; readonly port: string }[]
  readonly #found = new Map<string, T>()
  readonly #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | null = null

  /** `name` is what a certificate must be for, where the address came from a look-up. */
  constructor(
    addresses: readonly string[],
    private readonly make: (address: string, name: string | null) => T,
    private readonly resolve: (host: string) => Promise<readonly Resolved[]> = (host) => lookup(host, { all: true }),
  ) {
    const names = addresses.filter((address) => address.startsWith('dns:'))
    this.#names = names.map((address) => {
      const [, host = '', port = ''] = address.split(':')
      return { host, port }
    })
    this.#fixed = addresses.filter((address) => !address.startsWith('dns:')).map((address) => make(address, null))
    if (names.length === 0) return
    this.#timer = setInterval(() => void this.lookAgain(), everyMs)
    this.#timer.unref()
  }

  /** Those known now; looked up first where none is. */
  async list(): Promise<readonly T[]> {
    if (this.#names.length === 0) return this.#fixed
    if (this.#found.size === 0) await this.lookAgain()
    return [...this.#fixed, ...this.#found.values()]
  }

  /** A name that cannot be looked up keeps what was found before. */
  lookAgain(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  close(): void {
    clearInterval(this.#timer)
    for (const one of [...this.#fixed, ...this.#found.values()]) one.close()
  }

  async #look(): Promise<void> {
    try {
      const current = new Map<string, string>()
      for (const { host, port } of this.#names) {
        for (const { address, family } of await this.resolve(host)) {
          current.set(family === 6 ? `[${address}]:${port}` : `${address}:${port}`, host)
        }
      }
      for (const [address, host] of current) {
        if (!this.#found.has(address)) this.#found.set(address, this.make(address, host))
      }
      for (const [address, one] of this.#found) {
        if (current.has(address)) continue
        this.#found.delete(address)
        // Calls that are under way end by themselves.
        one.close()
      }
    } catch {
      // Whoever calls is told by the call that nobody is there.
    }
  }
}
