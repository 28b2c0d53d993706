/** One request of the download host: a file by its link, or an image by its address. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { readUuid } from '@worlds/domain/uuid'
import { fileKinds, imageTypes } from '@worlds/storage/kinds'
import type { ObjectFacts, ObjectStore } from '@worlds/storage/object-store'
import type { Context } from '../context'
import { keyOf, readFile } from '../store/files'
import { attachment } from './disposition'
import { type Range, readRange } from './range'

type Headers = Record<string, string | number>

/** Any origin may read; what is served is neither guessed at nor run. */
const always: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Disposition, Content-Length, Content-Range, ETag',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}

const preflight: Headers = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-None-Match',
  'access-control-max-age': 86_400,
}

/** Of any key that there can be. */
const longestKey = 200

const imageMimes = new Set(Object.values(imageTypes).map(({ mime }) => mime))

export async function serve(context: Context, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Either form of a target names the same (RFC 9112, 3.2.2).
  const [path = '', search = ''] = (request.url ?? '').replace(/^https?:\/\/[^/]*/i, '').split(/\?(.*)/s)
  const key = path.slice(1)
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { ...always, ...preflight }).end()
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(response, 405, 'method_not_allowed', { allow: 'GET, HEAD, OPTIONS' })
  } else if (key.length > longestKey) {
    refuse(response, 404, 'not_found')
  } else if (/^w\/[^/]+\/[^/]+\/[^/]+$/.test(key)) {
    await serveFile(context, key, new URLSearchParams(search), request, response)
  } else if (/^u\/[a-z0-9._/-]+$/.test(key) && !/(^|\/)\.{0,2}(\/|$)/.test(key)) {
    await serveImage(context, key, request, response)
  } else {
    refuse(response, 404, 'not_found')
  }
}

async function serveFile(
  context: Context,
  key: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const link = context.links.judge(key, query)
  if ('fault' in link) return refuse(response, 403, link.fault)
  const [, worldId = '', , last = ''] = key.split('/')
  const id = readUuid(last.slice(0, last.lastIndexOf('.')))
  // Bytes may outlive their row for a moment: whoever removed them was told that they are gone.
  const file = id === null ? null : await readFile(context.db, worldId, id)
  if (file === null || keyOf(file) !== key) return refuse(response, 404, 'not_found')
  await serveBytes(context, key, request, response, () => ({
    'content-type': fileKinds.get(file.kind)?.mime ?? 'application/octet-stream',
    'content-disposition': attachment(link.name),
    'cache-control': 'private, no-store',
  }))
}

async function serveImage(
  context: Context,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await serveBytes(context, key, request, response, ({ type, etag }) => ({
    'content-type': imageMimes.has(type) ? type : 'application/octet-stream',
    'content-disposition': 'inline',
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${etag}"`,
  }))
}

async function serveBytes(
  { served: objects }: Context,
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
  headersOf: (facts: ObjectFacts) => Headers,
): Promise<void> {
  const headersFor = (facts: ObjectFacts): Headers => ({ ...always, 'accept-ranges': 'bytes', ...headersOf(facts) })
  const wanted = await wantedOf(objects, key, request)
  if (wanted === 'absent') return refuse(response, 404, 'not_found')
  const { whole, range } = wanted
  if (whole !== null) {
    const headers = headersFor(whole)
    if (headers.etag !== undefined && matches(request.headers['if-none-match'], String(headers.etag))) {
      response.writeHead(304, headers).end()
      return
    }
    if (range === 'unsatisfiable') {
      return refuse(response, 416, 'range_not_satisfiable', { 'content-range': `bytes */${whole.bytes}` })
    }
    if (request.method === 'HEAD') {
      response.writeHead(range === null ? 200 : 206, { ...headers, ...lengthOf(range, whole.bytes) }).end()
      return
    }
  }
  const part = range === 'unsatisfiable' ? null : range
  const left = new AbortController()
  response.once('close', () => left.abort())
  const found = (await objects?.get(key, part, left.signal)) ?? null
  if (found === null) return refuse(response, 404, 'not_found')
  const size = whole?.bytes ?? found.bytes
  response.writeHead(part === null ? 200 : 206, { ...headersFor(found), ...lengthOf(part, size) })
  await within(patienceFor(found.bytes), response, () => pipeline(found.body, response))
}

/** Milliseconds that a reply may take: whoever reads slower than this holds a place that others want. */
function patienceFor(bytes: number): number {
  return 10_000 + bytes / 64
}

async function within(ms: number, response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => response.destroy(), ms)
  try {
    await work()
  } finally {
    clearTimeout(timer)
  }
}

/** What of an object is asked for. Only where the answer depends on the object is it asked about first. */
async function wantedOf(
  objects: ObjectStore | null,
  key: string,
  { method, headers }: IncomingMessage,
): Promise<'absent' | { whole: ObjectFacts | null; range: Range | null | 'unsatisfiable' }> {
  const asksFirst = method === 'HEAD' || headers.range !== undefined || headers['if-none-match'] !== undefined
  if (!asksFirst) return { whole: null, range: null }
  const whole = (await objects?.head(key)) ?? null
  if (whole === null) return 'absent'
  // A part of what the client has not is no use to it (RFC 9110, 13.1.5).
  const isOther = headers['if-range'] !== undefined && headers['if-range'] !== `"${whole.etag}"`
  return { whole, range: isOther ? null : readRange(headers.range, whole.bytes) }
}

function lengthOf(range: Range | null, size: number): Headers {
  if (range === null) return { 'content-length': size }
  const { first, last } = range
  return { 'content-length': last - first + 1, 'content-range': `bytes ${first}-${last}/${size}` }
}

function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((item) => [etag, `W/${etag}`, '*'].includes(item.trim()))
}

export function refuse(response: ServerResponse, status: number, error: string, more: Headers = {}): void {
  const body = JSON.stringify({ error })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...always, 'cache-control': 'no-store', ...more, ...headers }).end(body)
}
