import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { expectError, headOf, Raw } from './hostile-table'
import { expectBody, newOwner, type Owner } from './support'

const headersMs = 800
const requestMs = 1_600
jest.setTimeout(8_000)
let system: System
let own: Owner

beforeAll(async () => {
  const env = { HEADERS_TIMEOUT_MS: String(headersMs), REQUEST_TIMEOUT_MS: String(requestMs), REQUEST_SLOTS: '1' }
  system = await startSystem({ env: { gateway: env } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const open = () => new Raw(system.gateway)
const body = '{"name":"Smuggled"}'
const post = (...lines: string[]) => headOf(own, 'POST /api/v2/character', lines)
const length = `Content-Length: ${body.length}`
const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/** Whole, with nothing written since. */
async function expectUnharmed(): Promise<void> {
  expect(await own.head()).toBe(0)
  expect((await own.get('/api/v2/world')).body.name).toBe('World')
}

const malformed: readonly [no: number, title: string, bytes: () => string, status: number][] = [
  [75, 'Content-Length and Transfer-Encoding', () => post(length, 'Transfer-Encoding: chunked') + chunks, 400],
  [
    75,
    'Transfer-Encoding and Content-Length',
    () => post('Transfer-Encoding: chunked', 'Content-Length: 0') + chunks,
    400,
  ],
  [75, 'two lengths that differ', () => post(length, 'Content-Length: 1') + body, 400],
  [75, 'two lengths that agree', () => post(length, length) + body, 400],
  [75, 'two lengths in a list', () => post(`${length}, ${body.length}`) + body, 400],
  [75, 'a length that is no number', () => post('Content-Length: abc') + body, 400],
  [75, 'a length below zero', () => post('Content-Length: -1') + body, 400],
  [75, 'a length with a sign', () => post(`Content-Length: +${body.length}`) + body, 400],
  [75, 'a folded header', () => post(length, 'X-Folded: a\r\n b') + body, 400],
  [75, 'a space before a colon', () => post(`Content-Length : ${body.length}`) + body, 400],
  [75, 'NUL in a header', () => post(length, 'X-Nul: a\0b') + body, 400],
  [75, 'a bare carriage return in a header', () => post(length, 'X-Cr: a\rb') + body, 400],
  [75, 'lines that end in LF alone', () => post(length).replaceAll('\r\n', '\n') + body, 400],
  [75, 'a chunk size that is none', () => `${post('Transfer-Encoding: chunked')}zz\r\n${body}\r\n0\r\n\r\n`, 400],
  [75, 'a chunk size below zero', () => `${post('Transfer-Encoding: chunked')}-1\r\n${body}\r\n0\r\n\r\n`, 400],
  [75, 'a chunk longer than it says', () => `${post('Transfer-Encoding: chunked')}1\r\n${body}\r\n0\r\n\r\n`, 400],
  [75, 'a request line that is none', () => `HELLO\r\n\r\n`, 400],
  [75, 'TLS spoken to a plain port', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  [75, 'HTTP/3.0', () => post(length).replace('HTTP/1.1', 'HTTP/3.0') + body, 400],
  [76, 'Transfer-Encoding: identity, chunked', () => post('Transfer-Encoding: identity, chunked') + chunks, 400],
  [76, 'Transfer-Encoding: chunked, chunked', () => post('Transfer-Encoding: chunked, chunked') + chunks, 400],
  [76, 'Transfer-Encoding: chunked, identity', () => post('Transfer-Encoding: chunked, identity') + chunks, 400],
  [76, 'Transfer-Encoding: identity', () => post('Transfer-Encoding: identity', length) + body, 400],
  [76, 'Transfer-Encoding: xchunked', () => post('Transfer-Encoding: xchunked') + chunks, 400],
  [76, 'two Transfer-Encodings', () => post('Transfer-Encoding: identity', 'Transfer-Encoding: chunked') + chunks, 400],
  [76, 'TE: identity, chunked', () => post('TE: identity, chunked', length) + body, 400],
  [77, 'two hosts', () => post('Host: other', length) + body, 400],
  [77, 'the same host twice', () => post('Host: test', length) + body, 400],
  [77, 'no host', () => post(length).replace('Host: test\r\n', '') + body, 400],
  [78, 'a header of 20 KB', () => post(length, `X-Long: ${'x'.repeat(20_000)}`) + body, 431],
  [78, 'a path of 20 KB', () => headOf(own, `GET /api/v2/character?name=${'x'.repeat(20_000)}`), 431],
  [
    78,
    'a thousand headers',
    () => post(length, ...Array.from({ length: 1_000 }, (_, at) => `X-Header-${at}: 0123456`)) + body,
    431,
  ],
]

describe('malformed HTTP', () => {
  it.each(malformed)(
    'hostile %i: [ER-001] %s is refused in the envelope and writes nothing',
    async (_no, _t, bytes, status) => {
      const raw = open().send(Buffer.from(bytes(), 'latin1'))
      const reply = await raw.reply()
      expect(reply.status).toBe(status)
      expect(reply.headers.get('content-type')).toBe('application/json')
      expect(Object.keys(reply.body)).toEqual(['error'])
      expect(Object.keys(reply.body.error).sort()).toEqual(['code', 'doc_url', 'message', 'param', 'type'])
      raw.leave()
      await expectUnharmed()
    },
  )

  // Where the end of a request is in doubt, or was never found, nothing more may be read.
  const doubtful = malformed.filter(([no, title]) => no !== 77 && !title.startsWith('TE:'))
  it.each(doubtful)('hostile %i: %s ends its connection, and what follows is not heard', async (_no, _t, bytes) => {
    const raw = open().send(Buffer.from(bytes() + post(length) + body, 'latin1'))
    const waited = new Promise((resolve) => setTimeout(resolve, 3_000, 'open'))
    const ending = await Promise.race([raw.closed.then(() => 'closed'), waited])
    raw.leave()
    expect([ending, raw.text.match(/HTTP\/1\.1 /g)?.length]).toEqual(['closed', 1])
    await expectUnharmed()
  })
})

describe('a request with two Host headers', () => {
  const keyless = [
    'GET /api/v2/health',
    'GET /api/v2/docs',
    'GET /api/v2/openapi.json',
    'GET /dev/mail',
    'GET /api/v2/nope',
    'POST /mcp',
    'OPTIONS /api/v2/world',
  ]
  it.each(keyless)('hostile 77: [ER-001] is refused in the envelope by %s', async (line) => {
    for (const version of ['1.0', '1.1']) {
      const raw = open().send(`${line} HTTP/${version}\r\nHost: test\r\nHost: other\r\n\r\n`)
      const { status, body, headers } = await raw.reply()
      raw.leave()
      expect([status, headers.get('vary'), Object.keys(body)]).toEqual([400, 'Origin', ['error']])
      expect(Object.keys(body.error).sort()).toEqual(['code', 'doc_url', 'message', 'param', 'type'])
    }
  })

  const dialects: readonly [line: string, keys: readonly string[]][] = [
    ['GET /api/worldapi/character/x', ['detail']],
    ['GET /api/worldapi/world', ['detail']],
    ['GET /api/metadata/character', ['error']],
  ]
  it.each(dialects)('hostile 77: is refused in the dialect of %s', async (line, keys) => {
    const raw = open().send(`${line} HTTP/1.1\r\nHost: test\r\nHost: test\r\n\r\n`)
    const { status, body } = await raw.reply()
    raw.leave()
    expect([status, Object.keys(body)]).toEqual([400, keys])
  })
})

describe('slow HTTP', () => {
  it('hostile 79: headers that come byte by byte are cut off in time', async () => {
    const raw = open()
    const started = Date.now()
    const bytes = post(length)
    let at = 0
    const drip = setInterval(() => raw.send(bytes[at++ % bytes.length] as string), 100)
    await raw.closed.finally(() => clearInterval(drip))
    expect(Date.now() - started).toBeLessThan(2 * headersMs + 500)
    expect(raw.text).toMatch(/^HTTP\/1\.1 408 /)
    await expectUnharmed()
  })

  it('hostile 79: a connection that says nothing is cut off in time', async () => {
    const raw = open()
    const started = Date.now()
    await raw.closed
    expect(Date.now() - started).toBeLessThan(2 * headersMs + 500)
  })

  it('hostile 80: [LM-009] a body that comes byte by byte is 408 in time, and its slot is free', async () => {
    const raw = open().send(post(length))
    const metrics = api(system.processes.metrics('gateway'))
    const inUse = async () => /^request_slots_in_use\S* (\d+)$/m.exec((await metrics.get('/metrics')).text)?.[1]
    await until(async () => (await inUse()) === '1')
    const started = Date.now()
    let at = 0
    const drip = setInterval(() => raw.send(body[at++ % 9] as string), 200)
    const reply = await raw.reply().finally(() => clearInterval(drip))
    expect(Date.now() - started).toBeLessThan(requestMs + headersMs + 500)
    expect([reply.status, Object.keys(reply.body)]).toEqual([408, ['error']])
    await raw.closed
    await until(async () => (await inUse()) === '0')
    await expectUnharmed()
  })

  it('hostile 81: [LM-004] Expect: 100-continue of 99 MB is 413 without leave to send', async () => {
    const raw = open().send(post(`Content-Length: ${99 << 20}`, 'Expect: 100-continue'))
    expectError(await raw.reply(), 'payload_too_large')
    await raw.closed
    expect(raw.text).not.toContain('100 Continue')
    await expectUnharmed()
  })

  it('hostile 81: Expect: 100-continue by an unknown key is 401 without leave to send', async () => {
    const head = headOf({ headers: { 'API-Key': 'ow_w_x', 'API-Pin': '' } }, 'POST /api/v2/zone', [
      length,
      'Expect: 100-continue',
    ])
    const raw = open().send(head)
    expectError(await raw.reply(), 'invalid_credentials')
    expect(raw.text).not.toContain('100 Continue')
    raw.leave()
  })
})

describe('other methods', () => {
  const paths = [
    '/api/v2/world',
    '/api/v2/character',
    '/api/v2/me',
    '/api/v2/members',
    '/api/v2/changes',
    '/api/v2/health',
  ]
  it.each(paths)('hostile 83: HEAD %s answers as GET does, without a body', async (path) => {
    const got = await own.get(path)
    const raw = open().send(headOf(own, `HEAD ${path}`, ['Connection: close']))
    const { status, headers } = await raw.reply(false)
    await raw.closed
    expect([status, raw.text.endsWith('\r\n\r\n')]).toEqual([got.status, true])
    for (const name of ['content-type', 'content-length', 'etag', 'vary']) {
      expect(headers.get(name)).toBe(got.headers.get(name))
    }
  })

  it('hostile 83: HEAD of what GET refuses is refused alike, without a body', async () => {
    for (const [path, status] of [
      ['/api/v2/nope', 404],
      ['/api/v2/character/nope', 422],
    ] as const) {
      const raw = open().send(headOf(own, `HEAD ${path}`, ['Connection: close']))
      expect((await raw.reply(false)).status).toBe(status)
      await raw.closed
      expect(raw.text.endsWith('\r\n\r\n')).toBe(true)
    }
    const nobody = await fetch(new URL('/api/v2/world', system.gateway), { method: 'HEAD' })
    expect([nobody.status, await nobody.text()]).toEqual([401, ''])
  })

  it.each(['/api/v2/world', '/api/v2/character', '/api/v2/nope', '*'])(
    'hostile 83: OPTIONS %s is 204',
    async (path) => {
      const raw = open().send(`OPTIONS ${path} HTTP/1.1\r\nHost: test\r\nOrigin: http://localhost\r\n\r\n`)
      const { status, headers } = await raw.reply()
      raw.leave()
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, 'http://localhost'])
    },
  )

  it.each(['TRACE', 'PROPFIND', 'PURGE', 'LINK'])('hostile 83: [ER-009] %s is 404 in the envelope', async (method) => {
    for (const path of ['/api/v2/world', '/api/v2/character', '/']) {
      const raw = open().send(headOf(own, `${method} ${path}`))
      expectError(await raw.reply(), 'not_found')
      raw.leave()
    }
    await expectUnharmed()
  })

  it('hostile 83: CONNECT opens no tunnel and an upgrade no other protocol', async () => {
    const tunnel = open().send('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n')
    await tunnel.closed
    expect(tunnel.text).not.toMatch(/^HTTP\/1\.1 (2|5)/)
    const upgrade = open().send(headOf(own, 'GET /api/v2/me', ['Connection: Upgrade', 'Upgrade: h2c']))
    expect(expectBody((await upgrade.reply()) as never, 200).world.id).toBe(own.world)
    upgrade.leave()
  })
})
