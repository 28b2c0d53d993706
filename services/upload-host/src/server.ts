/** The upload host's two paths, and its answers to everything else. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Limits } from './config'
import type { Context } from './context'
import { BodyEnded } from './receive'
import { Refused, type UploadError } from './refusals'
import { remove } from './remove'
import { upload } from './upload'

const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' }

const preflight = {
  ...cors,
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, X-Key',
  'access-control-max-age': '86400',
}

/** How long a refused body is still read, so that the client finds the answer before the end. */
const lingerMs = 2_000

type Handle = (context: Context, request: IncomingMessage, response: ServerResponse) => Promise<object>

const paths = new Map<string, Handle>([
  ['/v1/upload', upload],
  ['/v1/remove', remove],
])

export function createUploadServer(
  context: Context,
  limits: Limits,
  done: (path: string, outcome: string) => void,
): Server {
  let underWay = 0
  const responses = new WeakMap<Socket, ServerResponse>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (ending.has(request.socket)) {
      request.socket.destroy()
      return
    }
    const path = pathOf(request)
    const label = paths.has(path) ? path : 'other'
    responses.set(request.socket, response)
    underWay += 1
    try {
      const body = await run(context, path, request, response, underWay > limits.atOnce)
      if (body === null) response.writeHead(204, preflight).end()
      else write(response, 201, JSON.stringify(body))
      done(label, 'ok')
    } catch (error) {
      const refused = refusalOf(context, error)
      refuse(request, response, refused)
      done(label, refused.error)
    } finally {
      underWay -= 1
    }
  }
  const server = createServer(
    {
      headersTimeout: Math.min(10_000, limits.bodyMs),
      requestTimeout: limits.bodyMs,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: Math.min(2_000, limits.bodyMs / 4),
      maxHeaderSize: 16 << 10,
    },
    (request, response) => void answer(request, response),
  )
  server.maxHeadersCount = 64
  server.maxConnections = 2_000
  // Who waits for leave to send gets it once everything but the body has been judged.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => void answer(request, response))
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, new Refused('bad_http')),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = responses.get(socket)
    // What is wrong came after a request that is whole: that one is answered first.
    if (response?.req.complete && !response.writableFinished) response.once('close', () => socket.destroy())
    else refuseRaw(error, socket)
  })
  return server
}

/** Null for a preflight. */
async function run(
  context: Context,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  isFull: boolean,
): Promise<object | null> {
  const handle = paths.get(path)
  if (handle === undefined) throw new Refused('not_found')
  if (request.method === 'OPTIONS') return null
  if (request.method !== 'POST') throw new Refused('method_not_allowed')
  if (isFull) throw new Refused('ticket_lane_unconfigured')
  return handle(context, request, response)
}

/** Either form of a target names the same (RFC 9112, 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/i, '').split('?', 1)
  return path
}

function refusalOf({ log }: Context, error: unknown): Refused {
  if (error instanceof BodyEnded) return new Refused('request_timeout')
  if (!(error instanceof Refused)) {
    log.error({ err: error }, 'the request failed')
    return new Refused('internal')
  }
  if (error.cause !== undefined) log.warn({ err: error.cause, error: error.error }, 'a dependency is away')
  return error
}

function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): void {
  if (response.destroyed || response.headersSent) return
  const { status, body, error } = refused
  // What is left of the body would be read as the next request.
  if (!request.complete) response.shouldKeepAlive = false
  write(response, status, body, moreOf(error))
  if (!request.complete && !request.destroyed) linger(request, response)
}

/** Connections on which nothing more is taken in. */
const ending = new WeakSet<Socket>()

/**
 * Reads on, unseen, past what was refused. Node would close the connection with the answer, and what the client still
 * sends would meet a reset that overtakes it.
 */
function linger(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  ending.add(socket)
  socket.destroySoon = () => {
    socket.end()
  }
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  request.resume().once('close', () => {
    clearTimeout(timer)
    if (response.writableFinished) socket.destroy()
    else response.once('finish', () => socket.destroy())
  })
}

function moreOf(error: UploadError): Record<string, string> {
  if (error === 'ticket_lane_unconfigured') return { 'retry-after': '1' }
  return error === 'method_not_allowed' ? { allow: 'POST, OPTIONS' } : {}
}

function write(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...cors, ...headers, 'content-type': 'application/json', 'content-length': length })
  response.end(body)
}

/** Answers what never became a request, or stopped being one. */
function refuseRaw(error: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refused = new Refused(rawError(error.code))
  socket.end(
    `HTTP/1.1 ${refused.status} Refused\r\nContent-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n` +
      `Content-Length: ${Buffer.byteLength(refused.body)}\r\nConnection: close\r\n\r\n${refused.body}`,
  )
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

function rawError(code: string | undefined): UploadError {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_http'
}
