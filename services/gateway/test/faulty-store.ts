import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the store does instead of what it is asked. */
export type StoreFault =
  /** Answers with this status. */
  | { readonly status: number }
  /** Takes the request and never answers. */
  | 'stall'
  /** Ends the connection in the middle of the body. */
  | 'cut'
  /** Does what it is asked, and ends the connection instead of answering. */
  | 'lost'
  /** Waits for `release` first. */
  | 'hold'

/** Stands between the services and the object store, and fails those requests that it is told to. */
export class FaultyStore {
  #server: Server | undefined
  #port = 0
  #fault: { readonly method: string; readonly kind: StoreFault; left: number } | undefined
  #held: (() => void)[] = []
  #seen: string[] = []

  constructor(private readonly target: string) {}

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Methods and keys of all requests so far. */
  get seen(): readonly string[] {
    return this.#seen
  }

  get heldRequests(): number {
    return this.#held.length
  }

  async start(): Promise<this> {
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing))
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
    return this
  }

  /** The next `times` requests of a method fail in this way. */
  fail(method: string, kind: StoreFault, times = Number.POSITIVE_INFINITY): void {
    this.#fault = { method, kind, left: times }
  }

  heal(): void {
    this.#fault = undefined
  }

  /** Lets go what is held. */
  release(): void {
    for (const go of this.#held.splice(0)) go()
  }

  async stop(): Promise<void> {
    this.release()
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url = '' } = incoming
    this.#seen.push(`${method} ${url}`)
    incoming.on('error', () => undefined)
    outgoing.on('error', () => undefined)
    const kind = this.#take(method)
    if (kind === undefined || kind === 'lost') this.#forward(incoming, outgoing, kind === 'lost')
    else if (kind === 'stall') incoming.resume()
    else if (kind === 'cut') incoming.once('data', () => incoming.socket.destroy())
    else if (kind === 'hold') this.#held.push(() => this.#forward(incoming, outgoing, false))
    else {
      incoming.resume()
      incoming.once('end', () => outgoing.writeHead(kind.status).end())
    }
  }

  #take(method: string): StoreFault | undefined {
    const fault = this.#fault
    if (fault === undefined || fault.method !== method || fault.left <= 0) return undefined
    fault.left -= 1
    return fault.kind
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse, losesAnswer: boolean): void {
    const { method, url, headers } = incoming
    const onward = request(new URL(url ?? '', this.target), { method, headers }, (answer) => {
      if (losesAnswer) {
        answer.resume()
        outgoing.destroy()
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.on('aborted', () => onward.destroy())
    incoming.pipe(onward)
  }
}
