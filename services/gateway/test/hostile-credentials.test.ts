import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi, describeRows, expectError, type Hostile, headOf, type Known, newKnown, Raw } from './hostile-table'
import { expectBody, newOwner, newReader, type Owner } from './support'

let system: System
let known: Known

beforeAll(async () => {
  const env = { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000' }
  system = await startSystem({ env: { gateway: env } })
  known = await newKnown(system)
})
afterAll(() => system.stop())

const bad = 'invalid_request'
const world = { method: 'patch' as const, path: '/api/v2/world' }
const aboutPin = expect.stringMatching(/\bPIN\b/)
const unchanged = async (own: Owner, send: () => Promise<void>) => {
  const before = [await own.head(), (await own.get('/api/v2/world')).body]
  await send()
  expect([await own.head(), (await own.get('/api/v2/world')).body]).toEqual(before)
}

const worldRows: readonly Hostile[] = [
  { no: 67, title: 'an empty name', clauses: '[WD-004]', ...world, body: { name: '' }, answer: bad, param: 'name' },
  {
    no: 67,
    title: 'an unknown field',
    clauses: '[WD-039]',
    ...world,
    body: { name: 'x', foo: 1 },
    answer: bad,
    param: 'foo',
  },
  {
    no: 67,
    title: 'a PIN',
    clauses: '[WD-041]',
    ...world,
    body: { pin: '4321', name: 'x' },
    answer: bad,
    param: 'pin',
  },
  {
    no: 67,
    title: 'public_read',
    clauses: '[WD-014]',
    ...world,
    body: { public_read: true },
    answer: bad,
    param: 'public_read',
  },
  {
    no: 67,
    title: 'an owner_character of another world',
    clauses: '[WD-038]',
    ...world,
    body: ({ foreign }: Known) => ({ name: 'x', owner_character: foreign }),
    answer: 'invalid_link',
    param: 'owner_character',
  },
  {
    no: 67,
    title: 'an owner_character that is a location',
    clauses: '[WD-038]',
    ...world,
    body: ({ location }: Known) => ({ name: 'x', owner_character: location }),
    answer: 'invalid_link',
    param: 'owner_character',
  },
  {
    no: 67,
    title: 'an absent owner_character',
    ...world,
    body: { owner_character: randomUUID() },
    answer: 'invalid_link',
    param: 'owner_character',
  },
]

describeRows('a hostile change of the world', () => known, worldRows)

describe('a hostile key', () => {
  const aboutKey = expect.stringMatching(/key/i)

  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['an empty one', { 'API-Key': '' }],
    ['one of 20 characters', { 'API-Key': 'ow_w_12345678901234' }],
    ['one of 10,000 characters', { 'API-Key': `ow_w_${'x'.repeat(10_000)}` }],
    ['one with quotes', { 'API-Key': `' or '1'='1` }],
    ['one in Latin-1', { 'API-Key': 'ow_w_\u00e9\u00ff' }],
    ['an account token that nobody holds', { 'API-Key': 'ow_a_x' }],
    ['one as a bearer', { Authorization: 'Bearer ow_w_x' }],
  ])('hostile 60: [AU-026][AU-027] %s is 401 invalid_credentials on a read and on a write', async (_name, headers) => {
    await unchanged(known.own, async () => {
      const by = api(system.gateway, headers)
      expectError(await by.get('/api/v2/world'), 'invalid_credentials', null, aboutKey)
      expectError(await by.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials', null, aboutKey)
    })
  })

  it('hostile 60: [AU-031] a revoked one is 401 key_revoked', async () => {
    const account = accountApi(system.gateway, known.own.token)
    const keys = `/api/v2/account/worlds/${known.own.world}/keys`
    const { id, key } = expectBody(await account.post(keys), 201)
    expect((await account.delete(`${keys}/${id}`)).status).toBe(204)
    await unchanged(known.own, async () => {
      const by = api(system.gateway, { 'API-Key': key, 'API-Pin': known.own.pin })
      expectError(await by.get('/api/v2/world'), 'key_revoked')
      expectError(await by.post('/api/v2/zone', { name: 'x' }), 'key_revoked')
    })
  })

  it('hostile 60: [AU-006] a read key is 403 permission_error on a write', async () => {
    const reader = await newReader(system, known.own)
    await unchanged(known.own, async () => {
      expectError(await reader.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': known.own.pin }), 'permission_error')
    })
  })

  it('hostile 60: [AU-027] two API-Key headers are 401', async () => {
    const { own } = known
    await unchanged(own, async () => {
      for (const second of [own.key, 'ow_w_x', '']) {
        const lines = [`API-Key: ${second}`, 'Content-Length: 12']
        const raw = new Raw(system.gateway).send(`${headOf(own, 'POST /api/v2/zone', lines)}{"name":"Z"}`)
        expectError(await raw.reply(), 'invalid_credentials', null, aboutKey)
        raw.leave()
      }
    })
  })

  it('hostile 63: [AU-008][AC-029] an account token as a key, and a key as a token, are 401', async () => {
    const { own } = known
    const token = api(system.gateway, { 'API-Key': own.token, 'API-Pin': own.pin })
    await unchanged(own, async () => {
      expectError(await token.get('/api/v2/character'), 'invalid_credentials', null, aboutKey)
      expectError(await token.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials', null, aboutKey)
      const bearer = accountApi(system.gateway, own.key)
      expectError(await bearer.get('/api/v2/account/worlds'), 'invalid_credentials')
      expectError(await bearer.post('/api/v2/account/worlds', { name: 'x' }), 'invalid_credentials')
    })
  })
})

describe('a hostile PIN', () => {
  const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

  it.each([
    '0999',
    '999',
    '12345',
    '01234',
    '1234.0',
    '+1234',
    '1 234',
    '1,234',
    '0x4d2',
    '1234\u00a0',
    'abcd',
    '****',
  ])('hostile 61: [AU-029] %s is 401 and the message says PIN', async (pin) => {
    const own = await newOwner(system)
    await unchanged(own, async () => {
      const headers = { 'API-Pin': pin }
      expectError(await own.post('/api/v2/zone', { name: 'x' }, headers), 'invalid_credentials', null, aboutPin)
    })
  })

  it.each([latin('１２３４'), latin('１２34'), latin('١٢٣٤')])(
    'hostile 61: [AU-029] digits of another script are 401 (%#)',
    async (pin) => {
      const own = await newOwner(system)
      await unchanged(own, async () => {
        const { headers } = { headers: { ...own.headers, 'API-Pin': pin } }
        const head = headOf({ headers }, 'POST /api/v2/zone', ['Content-Length: 12'])
        const raw = new Raw(system.gateway).send(Buffer.from(`${head}{"name":"Z"}`, 'latin1'))
        expectError(await raw.reply(), 'invalid_credentials', null, aboutPin)
        raw.leave()
      })
    },
  )

  it('hostile 61: [AU-028] none, and an empty one, is 401', async () => {
    const { own } = known
    await unchanged(own, async () => {
      const by = api(system.gateway, { 'API-Key': own.key })
      expectError(await by.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials', null, aboutPin)
      expectError(
        await own.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': '' }),
        'invalid_credentials',
        null,
        aboutPin,
      )
    })
  })

  it('hostile 62: [AU-023][AU-024] the sixth wrong one, and the right one then, are 429 with the time to wait', async () => {
    const own = await newOwner(system)
    const send = (pin: string) => own.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': pin })
    await unchanged(own, async () => {
      for (let turn = 0; turn < 5; turn += 1) expectError(await send('4321'), 'invalid_credentials', null, aboutPin)
      for (const pin of ['4321', own.pin]) {
        const reply = await send(pin)
        expectError(reply, 'rate_limited')
        expect(reply.headers.get('retry-after')).toMatch(/^(29|30)$/)
      }
    })
  })
})
