import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi, codes, error, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, newReader, type Owner } from './support'

const docs = 'https://docs.example/api/v2/docs'
let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { DOCS_URL: docs }, element: { DOCS_URL: docs } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const post = (body: unknown, more?: Record<string, string>) => own.post('/api/v2/character', body, more)

/** One request for each code that an owner can meet; what each answers beside the envelope. */
const refusals: readonly [clause: string, code: string, param: string | null, send: () => Promise<Body>][] = [
  ['ER-011', 'invalid_request', 'foo', () => post({ name: 'x', foo: 1 })],
  ['ER-013', 'invalid_link', 'location', () => post({ name: 'x', location: randomUUID() })],
  ['ER-014', 'id_conflict', 'id', async () => post({ name: 'x', id: (await own.make('character')).id })],
  ['ER-020', 'invalid_credentials', null, () => api(system.gateway).get('/api/v2/world')],
  ['ER-021', 'key_revoked', null, revoked],
  ['ER-022', 'permission_error', null, async () => (await newReader(system, own)).post('/api/v2/zone', {})],
  ['ER-026', 'not_found', null, () => own.get(`/api/v2/character/${randomUUID()}`)],
  ['ER-027', 'rate_limited', null, guessed],
  ['ER-028', 'idempotency_error', 'Idempotency-Key', reused],
]

async function revoked(): Promise<Body> {
  const keys = `/api/v2/account/worlds/${own.world}/keys`
  const account = accountApi(system.gateway, own.token)
  const { id, key } = expectBody(await account.post(keys), 201)
  expect((await account.delete(`${keys}/${id}`)).status).toBe(204)
  return api(system.gateway, { 'API-Key': key }).get('/api/v2/world')
}

async function guessed(): Promise<Body> {
  for (let turn = 0; turn < 5; turn += 1) expect((await post({}, { 'API-Pin': '4321' })).status).toBe(401)
  return post({}, { 'API-Pin': '4321' })
}

async function reused(): Promise<Body> {
  const key = { 'Idempotency-Key': randomUUID() }
  expectBody(await post({ name: 'x' }, key), 201)
  return post({ name: 'y' }, key)
}

describe('the envelope', () => {
  it.each(refusals)(
    '[ER-001][ER-003][ER-004][ER-005][ER-006][ER-007][%s] of %s is whole',
    async (_c, code, param, send) => {
      const reply = await send()
      expectError(reply, code, param)
      expect(reply.headers.get('content-type')).toBe('application/json')
      expect(reply.body.error.doc_url).toBe(`${docs}#${code}`)
      const hasWait = code === 'rate_limited'
      expect(reply.headers.get('retry-after')).toEqual(hasWait ? expect.stringMatching(/^\d+$/) : null)
    },
  )

  it('[ER-001][ER-008][ER-018] of precondition_failed has the element as it is now beside it', async () => {
    const { id, change_seq } = await own.make('character')
    expectBody(await own.patch(`/api/v2/character/${id}`, { name: 'Moved' }), 200)
    const reply = await own.patch(`/api/v2/character/${id}`, { name: 'x' }, { 'If-Match': String(change_seq) })
    const current = await own.read('character', id)
    expect({ status: reply.status, body: reply.body }).toEqual({
      status: 412,
      body: { error: error('precondition_failed', 'If-Match'), current },
    })
  })

  it('[ER-002][ER-019] has its fields in a bulk slot too', async () => {
    const other = await newOwner(system)
    const held = (await other.make('character')).id
    const items = [
      { element: { id: held, name: 'x' } },
      { element: { name: 'x', foo: 1 } },
      { element: { name: 'x', friends: [held] } },
    ]
    const reply = await own.post('/api/v2/bulk', { items: items.map((item) => ({ type: 'character', ...item })) })
    expect(expectBody(reply, 200)).toEqual({
      errors: true,
      items: [
        { status: 422, id: held, error: error('apply_failed', 'id') },
        { status: 422, id: null, error: error('invalid_request', 'foo') },
        { status: 400, id: null, error: error('invalid_link', 'friends') },
      ],
    })
    for (const { error } of reply.body.items) expect(error.doc_url).toBe(`${docs}#${error.code}`)
  })

  it('[ER-003] has a type of the seven families whatever the code', () => {
    const families = ['invalid_request', 'authentication_error', 'permission_error', 'not_found', 'rate_limited']
    for (const [, type] of Object.values(codes)) expect([...families, 'idempotency_error', 'api_error']).toContain(type)
  })

  it('[ER-006] names the query parameter at fault', async () => {
    expectError(await own.get('/api/v2/character?limit=x'), 'invalid_request', 'limit')
    expectError(await own.get('/api/v2/character?nope=1'), 'invalid_request', 'nope')
  })
})

describe('a wrong-shaped payload', () => {
  it.each(['[]', '"x"', '5', 'null', 'true', '', '{', '{"name":"x"}}', "{'name':'x'}", 'name=x', '\u0000'])(
    '[ER-012] is 422 with no param: %j',
    async (body) => {
      for (const path of ['character', 'bulk']) {
        expectError(await own.post(`/api/v2/${path}`, body), 'invalid_request', null)
      }
      expectError(await own.patch('/api/v2/world', body), 'invalid_request', null)
      expect(await own.head()).toBe(0)
    },
  )

  it('[ER-012] is a missing body', async () => {
    for (const path of ['character', 'bulk']) expectError(await own.post(`/api/v2/${path}`), 'invalid_request', null)
    expectError(await own.put(`/api/v2/character/${randomUUID()}`), 'invalid_request', null)
  })
})

describe('an unmatched path', () => {
  const paths = [
    '/api/nope',
    '/api/v2/nope',
    '/api/v2',
    '/api/v2/',
    '/api/',
    '/api',
    '/api/v2/world/nope',
    '/api/v3/world',
  ]
  const more = ['/api/v2/character/x/y', '/api/v2/Character', '/API/v2/world', '/api/v2/%ZZ', '/api/v2/account/nope']

  it.each([...paths, ...more])('[ER-009][ER-010][ER-026] %s is 404 in the envelope, never a page', async (path) => {
    for (const accept of ['*/*', 'text/html', 'text/html,application/xhtml+xml']) {
      for (const by of [own, api(system.gateway)]) {
        const reply = await by.get(path, { Accept: accept })
        expectError(reply, 'not_found')
        expect(reply.headers.get('content-type')).toBe('application/json')
      }
    }
  })

  it.each<[keyof Api, string]>([
    ['post', '/api/v2/world'],
    ['delete', '/api/v2/world'],
    ['put', '/api/v2/character'],
    ['delete', '/api/v2/character'],
    ['post', '/api/v2/changes'],
    ['get', '/api/v2/bulk'],
    ['post', `/api/v2/character/${randomUUID()}`],
    ['get', `/api/v2/character/${randomUUID()}/links/friends`],
    ['put', '/api/v2/account'],
  ])('[ER-009][ER-026] is what a wrong method finds: %s %s', async (method, path) => {
    expectError(await own[method](path), 'not_found')
    expectError(await api(system.gateway)[method](path), 'not_found')
  })

  it('[VR-003] is one outside /api/v2', async () => {
    expect((await own.get('/api/v2/world')).status).toBe(200)
    expectError(await own.get('/v2/world'), 'not_found')
    expectError(await own.get('/world'), 'not_found')
  })
})

describe('a trailing slash', () => {
  it('[VR-004] is tolerated on every route, with the query kept and no redirect', async () => {
    const { id } = await own.make('character', { name: 'Ann' })
    const paths = ['character', `character/${id}`, 'changes', 'world', 'me', 'members', 'character?name=Ann']
    for (const path of paths) {
      const [route, query] = path.split('?')
      const slashed = await own.get(`/api/v2/${route}/${query === undefined ? '' : `?${query}`}`)
      expect([slashed.status, slashed.text]).toEqual([200, (await own.get(`/api/v2/${path}`)).text])
    }
    expect((await own.get('/api/v2/character/?name=Bea')).body.data).toEqual([])
    expect((await own.post('/api/v2/bulk/', { items: [] })).body).toEqual({ errors: false, items: [] })
    expect((await own.post('/api/v2/zone/', { name: 'x' })).status).toBe(201)
    expect((await own.put(`/api/v2/character/${id}/`, { name: 'y' })).status).toBe(200)
    expect((await own.patch(`/api/v2/character/${id}/`, { name: 'z' })).status).toBe(200)
    expect((await own.post(`/api/v2/character/${id}/links/friends/`, {})).status).toBe(200)
    expect((await own.delete(`/api/v2/character/${id}/`)).status).toBe(204)
    expect((await own.patch('/api/v2/world/', { name: 'x' })).status).toBe(200)
  })

  it('[VR-004] is one: two are another path', async () => {
    expectError(await own.get('/api/v2/world//'), 'not_found')
    expectError(await own.get('/api/v2//character'), 'not_found')
  })
})
