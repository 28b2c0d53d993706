import { type System, startSystem } from '@worlds/testkit/system'
import { headOf, Raw } from './hostile-table'
import { newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  const env = { SERVICE_DOMAIN: 'worlds.example', CORS_ORIGINS: 'https://partner.example:8443', REQUEST_BUDGET: '1000' }
  system = await startSystem({ env: { gateway: env } })
  own = await newOwner(system)
})
afterAll(() => system.stop())

const ask = (path: string, origin: string | null, init: RequestInit = {}) =>
  fetch(new URL(path, system.gateway), {
    ...init,
    headers: { ...(origin === null ? {} : { Origin: origin }), ...(init.headers as Record<string, string>) },
  })
const preflight = (origin: string | null, path = '/api/v2/character') =>
  ask(path, origin, {
    method: 'OPTIONS',
    headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'api-key,api-pin' },
  })
const allowed = (response: Response) => response.headers.get('access-control-allow-origin')
const named = (response: Response, header: string) =>
  (response.headers.get(header) ?? '').split(/\s*,\s*/).map((name) => name.toLowerCase())

const platforms = [
  ...['github.io', 'gitlab.io', 'pages.dev', 'vercel.app', 'netlify.app', 'onrender.com', 'up.railway.app', 'fly.dev'],
  ...['herokuapp.com', 'amplifyapp.com', 'web.app', 'firebaseapp.com', 'surge.sh', 'glitch.me'],
]
const editors = [
  ...['replit.app', 'replit.dev', 'repl.co', 'csb.app', 'codesandbox.io', 'stackblitz.io', 'webcontainer.io'],
  ...['codepen.io', 'cdpn.io', 'jsfiddle.net'],
]

const good: readonly [clause: string, origin: string][] = [
  ['AU-034', 'https://worlds.example'],
  ['AU-034', 'https://app.worlds.example'],
  ['AU-034', 'https://a.b.worlds.example'],
  ['AU-034', 'https://partner.example:8443'],
  ...platforms.map((host) => ['AU-035', `https://x.${host}`] as const),
  ['AU-035', 'https://preview.branch.pages.dev'],
  ...editors.map((host) => ['AU-036', `https://x.${host}`] as const),
  ['AU-036', 'https://id--8080.local.webcontainer.io'],
  ['AU-037', 'http://localhost'],
  ['AU-037', 'http://localhost:5173'],
  ['AU-037', 'https://localhost:3000'],
  ['AU-038', 'http://127.0.0.1:8080'],
  ['AU-038', 'https://127.0.0.1'],
  ['AU-038', 'http://[::1]:9000'],
].map(([clause, origin]) => [clause as string, origin as string])

const bad: readonly string[] = [
  'https://evil.example',
  'https://evil-worlds.example',
  'https://evilworlds.example',
  'https://worlds.example.evil.com',
  'http://app.worlds.example',
  'https://app.worlds.example:444',
  'https://github.io',
  'https://x.github.io.evil.com',
  'https://xgithub.io',
  'http://x.github.io',
  'https://x.github.io:8443',
  'https://railway.app',
  'https://x.railway.app',
  'https://partner.example',
  'https://x.partner.example:8443',
  'null',
  'http://localhost:1@evil.com',
  'http://localhost.evil.com',
  'http://evil.com/#localhost',
  'http://evil.com?.github.io',
  'https://evil.com\\.github.io',
  'http://127.0.0.1.evil.com',
  'http://127.0.0.2',
  'http://0.0.0.0:8080',
  'file://localhost',
  'ftp://x.github.io',
  'chrome-extension://x.github.io',
  'https://x.github.io/',
  'HTTPS://x.github.io',
  'https://user@x.github.io',
  'x.github.io',
  '*',
  'https://',
]

describe('an origin that is let in', () => {
  it.each(good)('[%s] %s may read an answer', async (_clause, origin) => {
    const response = await ask('/api/v2/world', origin, { headers: own.headers })
    expect([response.status, allowed(response), response.headers.get('vary')]).toEqual([200, origin, 'Origin'])
  })

  it('[AU-037] may send every header that a client needs, told by a preflight without a key', async () => {
    const response = await preflight('http://localhost:5173')
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(allowed(response)).toBe('http://localhost:5173')
    expect(response.headers.get('access-control-max-age')).toBe('86400')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    const sent = ['api-key', 'api-pin', 'authorization', 'content-type', 'if-match', 'if-none-match', 'idempotency-key']
    expect(named(response, 'access-control-allow-headers')).toEqual(expect.arrayContaining(sent))
    const methods = ['get', 'post', 'put', 'patch', 'delete']
    expect(named(response, 'access-control-allow-methods')).toEqual(expect.arrayContaining(methods))
  })

  it('[AU-035] may see the headers that a client needs, and gets no credentials mode', async () => {
    const response = await ask('/api/v2/world', 'https://x.github.io', { headers: own.headers })
    const seen = [
      'etag',
      'retry-after',
      'idempotent-replay',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
    ]
    expect(named(response, 'access-control-expose-headers')).toEqual(expect.arrayContaining(seen))
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it.each<[number, string, RequestInit]>([
    [401, '/api/v2/world', {}],
    [401, '/api/v2/account/worlds', {}],
    [404, '/api/v2/nope', {}],
    [404, '/nope', {}],
    [200, '/api/v2/health', {}],
  ])('[AU-037] may read a %i of %s', async (status, path, init) => {
    const response = await ask(path, 'http://localhost:5173', init)
    expect([response.status, allowed(response)]).toEqual([status, 'http://localhost:5173'])
  })

  it('[AU-037] may read a 413, a 422, a 201 and a 304', async () => {
    const send = (method: string, path: string, body: string | null, more = {}) =>
      ask(path, 'http://localhost:5173', { method, body, headers: { ...own.headers, ...more } })
    const made = await send('POST', '/api/v2/zone', '{"name":"x"}')
    const etag = (await send('GET', '/api/v2/world', null)).headers.get('etag') ?? ''
    const responses = [
      made,
      await send('POST', '/api/v2/zone', ' '.repeat(2_621_441)),
      await send('POST', '/api/v2/zone', '{'),
      await send('GET', '/api/v2/world', null, { 'If-None-Match': etag }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([201, 413, 422, 304])
    for (const response of responses) expect(allowed(response)).toBe('http://localhost:5173')
  })

  it('[AU-037] may read a 429', async () => {
    const hungry = await newOwner(system)
    let response = await ask('/api/v2/me', 'http://localhost:5173', { headers: hungry.headers })
    for (let turn = 0; turn < 1_010 && response.status === 200; turn += 10) {
      const more = Array.from({ length: 10 }, () =>
        ask('/api/v2/me', 'http://localhost:5173', { headers: hungry.headers }),
      )
      for (const each of await Promise.all(more)) response = each
    }
    expect([response.status, allowed(response)]).toEqual([429, 'http://localhost:5173'])
  })
})

describe('an origin that is not let in', () => {
  it.each(bad)('hostile 85: [AU-039] %s gets no allow-origin', async (origin) => {
    const head = headOf(own, 'GET /api/v2/world', [`Origin: ${origin}`])
    const raw = new Raw(system.gateway).send(head)
    const { status, headers } = await raw.reply()
    raw.leave()
    expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, null, 'Origin'])
    const asked = new Raw(system.gateway).send(`OPTIONS /api/v2/world HTTP/1.1\r\nHost: t\r\nOrigin: ${origin}\r\n\r\n`)
    const told = await asked.reply()
    asked.leave()
    expect(told.status).toBe(204)
    expect([...told.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

describe('every answer', () => {
  it.each(['/api/v2/world', '/api/v2/health', '/api/v2/nope', '/api/v2/account', '/', '/nope'])(
    '[AU-039] of %s varies by Origin, with one and without, and its OPTIONS is 204',
    async (path) => {
      for (const origin of [null, 'http://localhost:5173', 'https://evil.example']) {
        expect((await ask(path, origin)).headers.get('vary')).toBe('Origin')
        const response = await preflight(origin, path)
        expect([response.status, response.headers.get('vary')]).toEqual([204, 'Origin'])
      }
    },
  )
})
