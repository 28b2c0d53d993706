import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { badHttp, envelope, headersTooLarge, type Refusal, requestTimeout, statusOf } from '@worlds/domain/errors'
import express, { type Express } from 'express'

export interface HttpLimits {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly maxConnections: number
}

/**
 * An express app over a server whose requests and responses are born with express's own
 * prototypes. Express sets the prototypes of every request; when they are set already that costs
 * nothing, and otherwise it costs more than all the rest of a small request.
 */
export function createHttpServer(limits: HttpLimits, docsUrl: string): { app: Express; server: Server } {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', false)

  class Request extends IncomingMessage {}
  class Response extends ServerResponse<Request> {}
  adopt(Request.prototype, app.request, app)
  adopt(Response.prototype, app.response, app)
  app.request = Request.prototype as unknown as typeof app.request
  app.response = Response.prototype as unknown as typeof app.response

  const server = createServer(
    {
      IncomingMessage: Request,
      ServerResponse: Response,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(2_000, limits.headersTimeoutMs / 2),
      maxHeaderSize: 16 << 10,
      // Judged by isAmbiguous, which answers in the envelope.
      requireHostHeader: false,
    },
    app,
  )
  server.maxHeadersCount = 64
  server.maxRequestsPerSocket = 10_000
  server.maxConnections = limits.maxConnections
  // Whoever expects anything else of us is told in the envelope too.
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const body = Buffer.from(envelope(badHttp(), docsUrl))
    response.shouldKeepAlive = false
    const headers = { 'content-type': 'application/json', 'content-length': body.length, vary: 'Origin' }
    response.writeHead(statusOf('bad_http'), headers).end(body)
  })
  const underWay = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', (request, response) => underWay.set(request.socket, response))
  // Whoever waits for leave to send a body gets it when the body is read, not before.
  server.on('checkContinue', (request: Request, response: Response) => {
    underWay.set(request.socket, response)
    app(request as unknown as express.Request, response as unknown as express.Response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = underWay.get(socket)
    // What is wrong came after a request that is whole: that one is answered first.
    if (response?.req.complete && !response.writableFinished) response.once('close', () => socket.destroy())
    else if (response?.headersSent && !(response.writableFinished && response.shouldKeepAlive)) socket.destroy()
    else refuseRaw(error, socket, docsUrl)
  })
  return { app, server }
}

function adopt(prototype: object, base: object, app: Express): void {
  Object.setPrototypeOf(prototype, base)
  Object.defineProperty(prototype, 'app', { value: app, configurable: true, writable: true })
}

/** How long a connection is read on after a refusal, so that the client finds the answer before the end. */
export const lingerMs = 2_000

/** Answers what never became a request, in the envelope, and closes. */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket, docsUrl: string): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refusal = rawRefusal(error.code)
  const body = envelope(refusal, docsUrl)
  socket.end(
    `HTTP/1.1 ${statusOf(refusal.code)} Refused\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nVary: Origin\r\nConnection: close\r\n\r\n${body}`,
  )
  // A client that goes on sending, or never closes, holds nothing for longer than this.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function rawRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  return badHttp()
}

/** What Node lets through and a careful server does not: no Host or two, a second coding, a chunked one in TE. */
export function isAmbiguous(request: IncomingMessage): boolean {
  const { te, 'transfer-encoding': coding } = request.headers
  if (te !== undefined && /chunked/i.test(String(te))) return true
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true
  const hosts = countHeader(request, 'host')
  return hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0')
}

export function countHeader(request: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) count += 1
  }
  return count
}
