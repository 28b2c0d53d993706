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
  /** Answers with half of the body, and ends the connection. */
  | 'half'
  /** Waits for `release` first. */
  | 'hold'
  /** Does what it is asked, before those that fail. */
  | 'none'

/** Stands between the services and the object store, and fails those requests that it is told to. */
export class FaultyStore {
  #server: Server | undefined
  #port = 0
  #faults: { readonly method: string; readonly kind: StoreFault; readonly key: RegExp; left: number }[] = []
  #held: (() => unknown)[] = []
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

  /** The next `times` requests of a method fail in this way, or those of them whose path is like `key`. */
  fail(method: string, kind: StoreFault, times = Number.POSITIVE_INFINITY, key = /^/): void {
    this.#faults.push({ method, kind, key, left: times })
  }

  heal(): void {
    this.#faults = []
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
    const kind = this.#take(method, url)
    if (kind === undefined || kind === 'none') this.#forward(incoming, outgoing)
    else if (kind === 'lost' || kind === 'half') this.#forward(incoming, outgoing, kind)
    else if (kind === 'stall') incoming.resume()
    else if (kind === 'cut') incoming.once('data', () => incoming.socket.destroy())
    else if (kind === 'hold') this.#held.push(() => outgoing.destroyed || this.#forward(incoming, outgoing))
    else {
      incoming.resume()
      incoming.once('end', () => outgoing.writeHead(kind.status).end())
    }
  }

  #take(method: string, url: string): StoreFault | undefined {
    const fault = this.#faults.find((one) => one.method === method && one.left > 0 && one.key.test(url))
    if (fault === undefined) return undefined
    fault.left -= 1
    return fault.kind
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse, loses?: 'lost' | 'half'): void {
    const { method, url, headers } = incoming
    const onward = request(new URL(url ?? '', this.target), { method, headers }, (answer) => {
      if (loses === 'lost') {
        answer.resume()
        outgoing.destroy()
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      let left = Number(answer.headers['content-length']) / 2
      answer.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (loses === 'half' && left <= 0) outgoing.destroy()
      })
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.on('aborted', () => onward.destroy())
    incoming.pipe(onward)
  }
}
