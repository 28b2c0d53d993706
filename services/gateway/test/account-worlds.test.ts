import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, newReader, timestampForm, uuidForm } from './support'

const root = '/api/v2/account'
let system: System
let account: Api
let email: string

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  const made = await createAccount(system, { pin: '1234', name: 'Ann' })
  account = accountApi(system.gateway, made.token)
  email = made.account.email
})

const make = async (name = 'World'): Promise<Body> => expectBody(await account.post(`${root}/worlds`, { name }), 201)
const rowOf = ({ id, name }: Body) => ({
  id,
  name,
  role: 'owner',
  kind: 'owner',
  membership: null,
  public_read: false,
  created_at: expect.stringMatching(timestampForm),
  updated_at: expect.stringMatching(timestampForm),
})

describe('the account record', () => {
  it('[AC-028] is shown to the bearer of a token', async () => {
    expect(expectBody(await account.get(root), 200)).toEqual({
      id: expect.stringMatching(uuidForm),
      name: 'Ann',
      emails: [{ email, verified: true }],
      has_pin: true,
      image_bytes_used: 0,
      image_bytes_cap: expect.any(Number),
      created_at: expect.stringMatching(timestampForm),
    })
  })

  it('[AC-028] takes a new name', async () => {
    const changed = expectBody(await account.patch(root, { name: 'Bea' }), 200)
    expect(changed).toEqual(expectBody(await account.get(root), 200))
    expect(changed.name).toBe('Bea')
  })

  it.each<[Body, string | null]>([
    [{ name: {} }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'x', foo: 1 }, 'foo'],
    [{ name: 'x', has_pin: false }, 'has_pin'],
    [[], null],
    ['{', null],
  ])('[AC-028] refuses %j and stays as it was', async (patch, param) => {
    const before = expectBody(await account.get(root), 200)
    expectError(await account.patch(root, patch), 'invalid_request', param)
    expect(expectBody(await account.get(root), 200)).toEqual(before)
  })

  it('[AC-028] takes no query parameter', async () => {
    expectError(await account.get(`${root}?x=1`), 'invalid_request', 'x')
  })
})

describe('account routes', () => {
  const world = randomUUID()
  const routes: readonly [method: 'get' | 'post' | 'patch' | 'delete', path: string][] = [
    ['get', ''],
    ['patch', ''],
    ['get', '/tokens'],
    ['post', '/tokens'],
    ['delete', `/tokens/${world}`],
    ['get', '/worlds'],
    ['post', '/worlds'],
    ['get', `/worlds/${world}`],
    ['patch', `/worlds/${world}`],
    ['delete', `/worlds/${world}`],
    ['get', `/worlds/${world}/keys`],
    ['post', `/worlds/${world}/keys`],
    ['delete', `/worlds/${world}/keys/${world}`],
  ]
  it.each(routes)('[AC-029][AU-008] refuse whatever is no token: %s /account%s', async (method, path) => {
    const own = await newOwner(system)
    const credentials: Record<string, string>[] = [
      {},
      own.headers,
      { 'API-Key': own.token },
      { Authorization: own.token },
      { Authorization: `Basic ${own.token}` },
      { Authorization: 'Bearer ' },
      { Authorization: `Bearer ${own.key}` },
      { Authorization: `Bearer ${own.token}0` },
    ]
    for (const headers of credentials) {
      expectError(await api(system.gateway, headers)[method](`${root}${path}`), 'invalid_credentials')
    }
  })

  it('[AC-028] read the scheme in any case', async () => {
    const { token } = await createAccount(system)
    for (const scheme of ['bearer', 'BEARER']) {
      const by = api(system.gateway, { Authorization: `${scheme} ${token}` })
      expect((await by.get(root)).status).toBe(200)
    }
  })

  it('[AC-028] tolerate a trailing slash', async () => {
    for (const path of ['', '/worlds', '/tokens']) expect((await account.get(`${root}${path}/`)).status).toBe(200)
  })
})

describe('worlds of an account', () => {
  it('[AU-007][AC-047] are made with a key of their own', async () => {
    const made = await make('Aethel')
    const { id, key } = made
    expect(made).toEqual({
      id: expect.stringMatching(uuidForm),
      name: 'Aethel',
      role: 'owner',
      public_read: false,
      keys: [{ id: expect.stringMatching(uuidForm), name: '', last4: key.slice(-4), scope: 'WRITE', revoked: false }],
      key: expect.stringMatching(/^ow_w_/),
    })
    const own = api(system.gateway, { 'API-Key': key, 'API-Pin': '1234' })
    expect(expectBody(await own.get('/api/v2/world'), 200)).toMatchObject({ id, name: 'Aethel', public_read: false })
    expectBody(await own.post('/api/v2/character', { name: 'First' }), 201)
  })

  it.each<[Body, string | null]>([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: [] }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'x', foo: 1 }, 'foo'],
    [{ name: 'x', pin: '1234' }, 'pin'],
    [{ name: 'x', pin: '0999' }, 'pin'],
    ['', null],
    ['[]', null],
  ])('[AC-047] are not made of %j', async (body, param) => {
    expectError(await account.post(`${root}/worlds`, body), 'invalid_request', param)
    expect(expectBody(await account.get(`${root}/worlds`), 200)).toEqual({ data: [] })
  })

  it('[AU-014][AC-047] set the first PIN of an account that has none', async () => {
    const bare = accountApi(system.gateway, (await createAccount(system)).token)
    const { key } = expectBody(await bare.post(`${root}/worlds`, { name: 'First', pin: 4321 }), 201)
    expect((await bare.get(root)).body.has_pin).toBe(true)
    const keyed = api(system.gateway, { 'API-Key': key })
    expectError(await keyed.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials')
    expect((await keyed.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': '4321' })).status).toBe(201)
  })

  it('[AU-007][AC-045] are listed, its own alone', async () => {
    await newOwner(system)
    expect(expectBody(await account.get(`${root}/worlds`), 200)).toEqual({ data: [] })
    const [first, second] = [await make('One'), await make('Two')]
    const expected = { data: [rowOf(first), rowOf(second)] }
    expect(expectBody(await account.get(`${root}/worlds`), 200)).toEqual(expected)
    expect(expectBody(await account.get(`${root}/worlds/${first.id}`), 200)).toEqual(expected.data[0])
  })

  it('[AC-045][WD-013] are named and published by their owner', async () => {
    const { id, key } = await make()
    const reply = await account.patch(`${root}/worlds/${id}`, { name: 'New', public_read: true })
    expect(expectBody(reply, 200)).toEqual({ ...rowOf({ id, name: 'New' }), public_read: true })
    expect(expectBody(await account.get(`${root}/worlds/${id}`), 200)).toEqual(reply.body)
    const world = expectBody(await api(system.gateway, { 'API-Key': key }).get('/api/v2/world'), 200)
    expect(world).toMatchObject({ name: 'New', public_read: true, updated_at: reply.body.updated_at })
  })

  it.each<[Body, string]>([
    [{ name: '' }, 'name'],
    [{ public_read: 'yes' }, 'public_read'],
    [{ public_read: null }, 'public_read'],
    [{ public_read: true, description: 'x' }, 'description'],
  ])('[AC-045] stay as they were after %j', async (patch, param) => {
    const made = await make()
    expectError(await account.patch(`${root}/worlds/${made.id}`, patch), 'invalid_request', param)
    expect(expectBody(await account.get(`${root}/worlds/${made.id}`), 200)).toEqual(rowOf(made))
  })

  it('[AC-045] of others answer as those that do not exist', async () => {
    const other = await newOwner(system)
    const send = (id: string) => [
      account.get(`${root}/worlds/${id}`),
      account.patch(`${root}/worlds/${id}`, { name: 'Mine' }),
      account.delete(`${root}/worlds/${id}`),
      account.get(`${root}/worlds/${id}/keys`),
      account.post(`${root}/worlds/${id}/keys`),
    ]
    for (const id of [other.world, randomUUID(), 'nope']) {
      for (const reply of await Promise.all(send(id))) expectError(reply, 'not_found')
    }
    expect((await other.get('/api/v2/world')).body.name).toBe('World')
  })

  it('[AU-032] are gone once deleted', async () => {
    const { id } = await make()
    expect((await account.delete(`${root}/worlds/${id}`)).text).toBe('')
    expectError(await account.get(`${root}/worlds/${id}`), 'not_found')
    expectError(await account.delete(`${root}/worlds/${id}`), 'not_found')
    expect(expectBody(await account.get(`${root}/worlds`), 200)).toEqual({ data: [] })
  })

  it('[AU-032] are not opened again by what their keys ask for', async () => {
    const own = await newOwner(system)
    const reader = await newReader(system, own)
    const mine = accountApi(system.gateway, own.token)
    expect((await mine.delete(`${root}/worlds/${own.world}`)).status).toBe(204)
    expectError(await reader.get('/api/v2/me'), 'invalid_credentials')
    expectError(await mine.post(`${root}/worlds/${own.world}/keys`), 'not_found')
  })
})
