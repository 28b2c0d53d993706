import { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import { createHttpServer } from './server'

const limits = { headersTimeoutMs: 10_000, requestTimeoutMs: 30_000, keepAliveTimeoutMs: 5_000, maxConnections: 10 }

/** Serves one request and returns what `look` saw of it before the app and `handle` within. */
async function serveOne<Seen>(
  look: (app: Express, request: IncomingMessage, response: ServerResponse) => Seen,
  handle: (app: Express, request: IncomingMessage, response: ServerResponse) => Seen,
): Promise<{ before: Seen; within: Seen; status: number }> {
  const { app, server } = createHttpServer(limits, 'http://127.0.0.1/docs')
  const seen: Partial<{ before: Seen; within: Seen }> = {}
  server.prependListener('request', (request, response) => {
    seen.before = look(app, request, response)
  })
  app.use((request, response) => {
    seen.within = handle(app, request, response)
    response.status(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { status } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return { ...(seen as { before: Seen; within: Seen }), status }
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const prototypes = (app: Express, request: IncomingMessage, response: ServerResponse) => ({
  request: Object.getPrototypeOf(request) === app.request,
  response: Object.getPrototypeOf(response) === app.response,
})

describe('requests and responses', () => {
  it('are born with the prototypes that express gives them', async () => {
    const { before, within, status } = await serveOne(prototypes, prototypes)
    expect(before).toEqual({ request: true, response: true })
    expect(within).toEqual({ request: true, response: true })
    expect(status).toBe(204)
  })

  it("are Node's own and express's at once", async () => {
    const look = (app: Express, request: IncomingMessage, response: ServerResponse) => [
      request instanceof IncomingMessage,
      response instanceof ServerResponse,
      'get' in request && 'json' in response,
      (request as { app?: Express }).app === app,
      (response as { app?: Express }).app === app,
    ]
    const { before, within } = await serveOne(look, look)
    expect(before).toEqual([true, true, true, true, true])
    expect(within).toEqual(before)
  })

  it('of one server know nothing of another', () => {
    const [first, second] = [createHttpServer(limits, ''), createHttpServer(limits, '')]
    expect(first.app.request).not.toBe(second.app.request)
    expect(first.app.request).toHaveProperty('app', first.app)
    expect(second.app.request).toHaveProperty('app', second.app)
  })
})
