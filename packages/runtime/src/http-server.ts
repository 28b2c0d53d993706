import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from './log'

/** Resolves to the base URL that the server is reached at; port 0 is any free one. `what` names it in the log. */
export async function listen(server: Server, host: string, port: number, what: string, log: Log): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  server.on('error', (error) => log.warn({ err: error }, `${what} had trouble`))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/**
 * Each client is told to close its connection with the reply that it gets next. A connection that is closed while it is
 * idle may meet a request that is on its way.
 */
export function closeWithReply(server: Server): void {
  const tell = (_request: unknown, response: ServerResponse) => {
    response.shouldKeepAlive = false
  }
  server.prependListener('request', tell).prependListener('checkContinue', tell)
}

/** Takes no new connection, and closes each as it falls idle; resolves once none is left. */
export function drain(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
  })
}
