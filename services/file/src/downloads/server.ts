import { createServer, type Server } from 'node:http'
import { closeWithReply, drain, listen } from '@worlds/runtime/http-server'
import type { Log } from '@worlds/runtime/log'
import type { Context } from '../context'
import { refuse, serve } from './serve'

/** How long a client may take to go on reading. */
const stalledMs = 30_000

/** The download host: it knows no keys, only links and addresses. */
export class DownloadServer {
  #server: Server | undefined
  #context: Context | undefined
  #underWay = 0

  constructor(
    private readonly log: Log,
    private readonly atOnce: number,
  ) {}

  /** Resolves to its base URL. Until `serve` says for whom, it answers 503. */
  async listen(host: string, port: number): Promise<string> {
    const server = createServer(
      { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 2_000 },
      (request, response) => {
        response.setTimeout(stalledMs, () => response.destroy())
        const isFull = this.#underWay >= this.atOnce
        if (this.#context === undefined || isFull) return refuse(response, 503, 'unavailable', { 'retry-after': 1 })
        this.#underWay += 1
        response.once('close', () => {
          this.#underWay -= 1
        })
        serve(this.#context, request, response).catch((error: unknown) => {
          // Whoever left has not been failed.
          if (response.destroyed) return
          this.log.error({ err: error }, 'a download failed')
          if (response.headersSent) response.destroy()
          else refuse(response, 502, 'unavailable')
        })
      },
    )
    server.maxConnections = 2_000
    const url = await listen(server, host, port, 'the download host', this.log)
    this.#server = server
    return url
  }

  serve(context: Context): void {
    this.#context = context
  }

  beginDrain(): void {
    if (this.#server !== undefined) closeWithReply(this.#server)
  }

  /** Resolves once no reply is under way. */
  async stopTaking(): Promise<void> {
    if (this.#server !== undefined) await drain(this.#server)
  }

  close(): void {
    this.#server?.closeAllConnections()
  }
}
