/** What hostile requests and refusals are told with: rows of requests, bytes on a raw socket, the error table. */
import { connect, type Socket } from 'node:net'
import { type ApiReply, api } from '@worlds/testkit/api'
import { type Body, newOwner, type Owner } from './support'

/** Status and family of every code that a request can be refused with so far. */
export const codes: Readonly<Record<string, readonly [status: number, type: string]>> = {
  invalid_request: [422, 'invalid_request'],
  invalid_link: [400, 'invalid_request'],
  id_conflict: [409, 'invalid_request'],
  precondition_failed: [412, 'invalid_request'],
  apply_failed: [422, 'invalid_request'],
  invalid_credentials: [401, 'authentication_error'],
  key_revoked: [401, 'authentication_error'],
  permission_error: [403, 'permission_error'],
  not_found: [404, 'not_found'],
  rate_limited: [429, 'rate_limited'],
  too_many_requests: [429, 'rate_limited'],
  idempotency_error: [409, 'idempotency_error'],
  payload_too_large: [413, 'api_error'],
  server_busy: [503, 'api_error'],
}

/** The inner object of the envelope, whole. */
export function error(code: string, param: unknown = null, message: unknown = expect.stringMatching(/./)): Body {
  const doc_url = expect.stringMatching(new RegExp(`^https?://[^#]+#${code}$`))
  return { type: codes[code]?.[1], code, message, param, doc_url }
}

/** Expects the refusal that a code stands for, with the envelope and nothing beside it. */
export function expectError({ status, body }: Answered, code: string, param: unknown = null, message?: unknown): void {
  expect({ status, body }).toEqual({ status: codes[code]?.[0], body: { error: error(code, param, message) } })
}

type Answered = Pick<ApiReply, 'status' | 'body'>

/** A bad request, or one that looks bad, and the answer it is owed. */
export interface Hostile {
  readonly no: number
  readonly title: string
  /** As `[WR-025]`. */
  readonly clauses?: string
  /** POST when left out. */
  readonly method?: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** `/api/v2/character` when left out. */
  readonly path?: string | ((known: Known) => string)
  /** What is sent, or what makes it of the ids. */
  readonly body?: unknown | ((known: Known) => unknown)
  readonly headers?: Record<string, string>
  /** A success, or the code of a refusal. */
  readonly answer: number | string
  /** Of a refusal; null when left out. */
  readonly param?: unknown
  /** Part of what a success answers. */
  readonly reply?: Body
  /** Text within what a success answers. */
  readonly text?: string
  /** Milliseconds that the answer may take. */
  readonly within?: number
}

/** Ids that rows name. */
export interface Known {
  readonly own: Owner
  readonly character: string
  readonly location: string
  readonly map: string
  readonly pin: string
  /** A character and a location of another world. */
  readonly foreign: string
  readonly foreignLocation: string
}

export async function newKnown(system: Parameters<typeof newOwner>[0]): Promise<Known> {
  const [own, other] = await Promise.all([newOwner(system), newOwner(system)])
  const id = async (owner: Owner, type: string, fields = {}) => (await owner.make(type, fields)).id as string
  const character = await id(own, 'character', { name: 'Kept' })
  const location = await id(own, 'location')
  const map = await id(own, 'map')
  const pin = await id(own, 'pin', { map })
  const foreign = await id(other, 'character')
  return { own, character, location, map, pin, foreign, foreignLocation: await id(other, 'location') }
}

/** Defines a test for each row. */
export function describeRows(title: string, known: () => Known, rows: readonly Hostile[]): void {
  const named = rows.map((row) => ({ ...row, clauses: row.clauses ?? '' }))
  describe(title, () => {
    it.each(named)('hostile $no: $clauses $title', (row) => expectAnswer(known(), row))
  })
}

/** Sends a row and expects its answer; after a refusal the world is as it was. */
async function expectAnswer(known: Known, row: Hostile): Promise<void> {
  const { own } = known
  const { method = 'post', path = '/api/v2/character', body, headers } = row
  const route = typeof path === 'string' ? path : path(known)
  const value = typeof body === 'function' ? body(known) : body
  const before = await stateOf(own)
  const started = performance.now()
  const reply = method === 'get' ? await own.get(route, headers) : await own[method](route, value, headers)
  if (row.within !== undefined) expect(performance.now() - started).toBeLessThan(row.within)
  if (typeof row.answer === 'string') {
    expectError(reply, row.answer, row.param ?? null)
    expect(await stateOf(own)).toEqual(before)
    return
  }
  expect({ status: reply.status, error: reply.body?.error }).toEqual({ status: row.answer, error: undefined })
  if (row.reply !== undefined) expect(reply.body).toMatchObject(row.reply)
  if (row.text !== undefined) expect(reply.text).toContain(row.text)
}

/** What moves with any write: the head of the world and the world's own record. */
async function stateOf(own: Owner): Promise<unknown> {
  return { head: await own.head(), world: (await own.get('/api/v2/world')).body }
}

/** A connection that sends bytes as they are. */
export class Raw {
  #received = Buffer.alloc(0)
  readonly #socket: Socket
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>

  constructor(baseUrl: string) {
    const { hostname, port } = new URL(baseUrl)
    this.#socket = connect(Number(port), hostname)
    this.#socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data])
    })
    this.#socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()))
  }

  send(bytes: string | Uint8Array): this {
    if (!this.#socket.destroyed) this.#socket.write(bytes)
    return this
  }

  leave(): void {
    this.#socket.destroy()
  }

  get text(): string {
    return this.#received.toString()
  }

  /** The first answer, once it is whole. */
  async reply(hasBody = true): Promise<RawReply> {
    for (;;) {
      const reply = parse(this.text, hasBody)
      if (reply !== null) return reply
      if (this.#socket.destroyed) throw new Error(`closed after ${JSON.stringify(this.text)}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

export interface RawReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

function parse(text: string, hasBody: boolean): RawReply | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]))
  const status = Number(first.split(' ')[1])
  const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0
  const body = Buffer.from(text.slice(end + 4)).subarray(0, length)
  if (body.length < length) return null
  return { status, headers, body: length === 0 ? null : JSON.parse(body.toString()) }
}

/** The head of a request with a world's credentials, as text on the wire. */
export function headOf({ headers }: Pick<Owner, 'headers'>, line: string, more: readonly string[] = []): string {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `${[`${line} HTTP/1.1`, 'Host: test', ...own, ...more].join('\r\n')}\r\n\r\n`
}

/** Requests by an account's token. */
export const accountApi = (baseUrl: string, token: string) => api(baseUrl, { Authorization: `Bearer ${token}` })
