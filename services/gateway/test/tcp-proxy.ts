import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { testServers } from '@worlds/testkit/test-servers'

/** Stands between a process and a server it calls, and can be cut and joined again. */
export class TcpProxy {
  #server: Server | undefined
  #port = 0
  readonly #sockets = new Set<Socket>()
  readonly #far = new Set<Socket>()

  constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  get port(): number {
    return this.#port
  }

  async join(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(this.target.port, this.target.host)
      this.#far.add(far.once('close', () => this.#far.delete(far)))
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => other.destroy())
        one.on('close', () => {
          other.destroy()
          this.#sockets.delete(one)
        })
        one.pipe(other)
      }
    })
    await new Promise<void>((resolve) => this.#server?.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Lets nothing through, though every connection stays. */
  stall(): void {
    for (const socket of this.#sockets) socket.pause()
  }

  /** Lets requests through, and no answer. */
  stallAnswers(): void {
    for (const socket of this.#far) socket.pause()
  }

  resume(): void {
    for (const socket of this.#sockets) socket.resume()
  }

  /** Ends every connection and refuses new ones. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

/** Before the Redis of the tests. */
export function redisProxy(): TcpProxy {
  const { hostname, port } = new URL(testServers().redisUrl)
  return new TcpProxy({ host: hostname, port: Number(port) })
}
