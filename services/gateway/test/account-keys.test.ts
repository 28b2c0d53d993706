import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createAccount, createWorld } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner, timestampForm, uuidForm } from './support'

const root = '/api/v2/account'
let system: System
let own: Owner
let account: Api
let keys: string

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { PIN_TRIES: '100000' }, membership: { PIN_TRIES: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  account = accountApi(system.gateway, own.token)
  keys = `${root}/worlds/${own.world}/keys`
})

const mint = async (body?: Body): Promise<Body> => expectBody(await account.post(keys, body), 201)

describe('keys of a world', () => {
  it.each<[Body, Body]>([
    [undefined, { scope: 'WRITE', name: '' }],
    [{}, { scope: 'WRITE', name: '' }],
    [
      { scope: 'write', name: 'Game' },
      { scope: 'WRITE', name: 'Game' },
    ],
    [{ scope: 'read' }, { scope: 'READ', name: '' }],
  ])('[AU-007][AC-048] are minted by %j', async (body, row) => {
    const { key, ...rest } = await mint(body)
    expect(key).toMatch(row.scope === 'READ' ? /^ow_r_/ : /^ow_w_/)
    expect(rest).toEqual({
      id: expect.stringMatching(uuidForm),
      ...row,
      last4: key.slice(-4),
      membership: null,
      created_at: expect.stringMatching(timestampForm),
      last_used_at: null,
      revoked: false,
    })
    const me = expectBody(await api(system.gateway, { 'API-Key': key }).get('/api/v2/me'), 200)
    expect([me.world.id, me.scope]).toEqual([own.world, row.scope.toLowerCase()])
  })

  it.each<[Body, string | null]>([
    [{ scope: 'admin' }, 'scope'],
    [{ scope: 'READ' }, 'scope'],
    [{ scope: null }, 'scope'],
    [{ name: {} }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ key: 'ow_w_mine' }, 'key'],
    ['[]', null],
    ['{', null],
  ])('[AC-048] are not minted by %j', async (body, param) => {
    expectError(await account.post(keys, body), 'invalid_request', param)
    expect(expectBody(await account.get(keys), 200).data).toHaveLength(1)
  })

  it('[AC-048] are listed without their secrets', async () => {
    const { key, ...row } = await mint({ scope: 'read', name: 'Reader' })
    const reply = await account.get(keys)
    expect(expectBody(reply, 200).data).toHaveLength(2)
    expect(reply.body.data).toContainEqual(row)
    for (const secret of [key, own.key]) expect(reply.text).not.toContain(secret)
  })

  it('[AC-048] are never minted twice alike', async () => {
    const minted = await Promise.all(Array.from({ length: 20 }, () => mint({ scope: 'read' })))
    expect(new Set(minted.map(({ key }) => key)).size).toBe(20)
    expect(new Set(minted.map(({ id }) => id)).size).toBe(20)
  })

  it('[AC-048] are revoked, and revoked again', async () => {
    const { id, key } = await mint()
    const reply = await account.delete(`${keys}/${id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await account.delete(`${keys}/${id}`)).status).toBe(204)
    expectError(await api(system.gateway, { 'API-Key': key }).get('/api/v2/me'), 'key_revoked')
    const { data } = expectBody(await account.get(keys), 200)
    expect(data.find((row: Body) => row.id === id).revoked).toBe(true)
    expect(data.filter(({ revoked }: Body) => !revoked)).toHaveLength(1)
  })

  it('[AC-048] of another world are not revoked through this one', async () => {
    const second = await createWorld(system, own.token)
    const [theirs] = expectBody(await account.get(`${root}/worlds/${second.id}/keys`), 200).data
    expectError(await account.delete(`${keys}/${theirs.id}`), 'not_found')
    expectError(await account.delete(`${keys}/${randomUUID()}`), 'not_found')
    expectError(await account.delete(`${keys}/nope`), 'invalid_request', 'id')
    expect((await api(system.gateway, { 'API-Key': second.key }).get('/api/v2/me')).status).toBe(200)
  })
})

describe('tokens of an account', () => {
  const tokens = `${root}/tokens`

  it('[AC-049] are minted, listed without their secrets, and revoked', async () => {
    const reply = await account.post(tokens, { name: 'Laptop' })
    const { token, ...row } = expectBody(reply, 201)
    expect(token).toMatch(/^ow_a_[\w-]{40,}$/)
    expect(row).toEqual({
      id: expect.stringMatching(uuidForm),
      name: 'Laptop',
      last4: token.slice(-4),
      created_at: expect.stringMatching(timestampForm),
      last_used_at: null,
    })
    const list = await account.get(tokens)
    expect(expectBody(list, 200).data).toHaveLength(2)
    expect(list.body.data.map(({ id }: Body) => id)).toContain(row.id)
    expect(list.text).not.toContain(token)

    const second = accountApi(system.gateway, token)
    expect(expectBody(await second.get(`${root}/worlds`), 200).data).toHaveLength(1)
    expect((await account.delete(`${tokens}/${row.id}`)).status).toBe(204)
    expectError(await second.get(`${root}/worlds`), 'invalid_credentials')
    expect((await account.get(`${root}/worlds`)).status).toBe(200)
  })

  it('[AC-049] are minted without a body, and not of a bad one', async () => {
    expect(expectBody(await account.post(tokens), 201).name).toBe('')
    expectError(await account.post(tokens, { name: 'x'.repeat(256) }), 'invalid_request', 'name')
    expectError(await account.post(tokens, { scope: 'read' }), 'invalid_request', 'scope')
  })

  it('[AC-049] of others are not revoked', async () => {
    const other = accountApi(system.gateway, (await createAccount(system)).token)
    const [theirs] = expectBody(await other.get(tokens), 200).data
    expectError(await account.delete(`${tokens}/${theirs.id}`), 'not_found')
    expectError(await account.delete(`${tokens}/${randomUUID()}`), 'not_found')
    expect((await other.get(root)).status).toBe(200)
  })

  it('[AC-049] say when they were last used', async () => {
    const { token, id } = expectBody(await account.post(tokens), 201)
    expectBody(await accountApi(system.gateway, token).get(root), 200)
    await until(async () => {
      const { data } = expectBody(await account.get(tokens), 200)
      return data.find((row: Body) => row.id === id).last_used_at !== null
    })
  })
})

describe('the PIN of an account', () => {
  const set = (pin: unknown, current_pin: unknown = own.pin) => account.patch(root, { pin, current_pin })
  const write = (pin: string, key = own.key) =>
    api(system.gateway, { 'API-Key': key, 'API-Pin': pin }).post('/api/v2/zone', { name: 'x' })
  const aboutPin = expect.stringMatching(/pin/i)

  it.each([['1000'], ['9999'], [1000], [9999]])('[AU-014] can be %j', async (pin) => {
    expect(expectBody(await set(pin), 200).has_pin).toBe(true)
    expectError(await write(own.pin), 'invalid_credentials', null, aboutPin)
    expectBody(await write(String(pin)), 201)
  })

  it.each([
    ['0999'],
    ['10000'],
    ['abcd'],
    [999],
    [10_000],
    [1234.5],
    [''],
    [null],
    [' 1234'],
    [true],
    [['1234']],
    [-1234],
  ])('[AU-014] cannot be %j', async (pin) => {
    expectError(await set(pin), 'invalid_request', 'pin')
    expect((await own.post('/api/v2/zone', { name: 'x' })).status).toBe(201)
  })

  it('[AU-014] is changed with the current one alone, together with the name or not at all', async () => {
    expectError(await account.patch(root, { pin: '5678', name: 'x' }), 'invalid_credentials', 'current_pin')
    expectError(await account.patch(root, { pin: '5678', current_pin: '4321' }), 'invalid_credentials', 'current_pin')
    expect((await account.get(root)).body.name).toBe('Someone')
    expect((await own.post('/api/v2/zone', { name: 'x' })).status).toBe(201)
    expect(expectBody(await account.patch(root, { pin: '5678', current_pin: 1234, name: 'x' }), 200).name).toBe('x')
    expectError(await own.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials', null, aboutPin)
  })

  it('[AU-014] is set without a current one while there is none', async () => {
    const bare = accountApi(system.gateway, (await createAccount(system)).token)
    expect((await bare.get(root)).body.has_pin).toBe(false)
    expect(expectBody(await bare.patch(root, { pin: '1000' }), 200).has_pin).toBe(true)
  })

  it('[AU-014] is set once when two set the first at a time', async () => {
    const { token } = await createAccount(system)
    const bare = accountApi(system.gateway, token)
    const { key } = await createWorld(system, token)
    const replies = await Promise.all(['1111', '2222'].map((pin) => bare.patch(root, { pin })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
    const [right, wrong] = replies[0]?.status === 200 ? ['1111', '2222'] : ['2222', '1111']
    expectBody(await write(right as string, key), 201)
    expectError(await write(wrong as string, key), 'invalid_credentials', null, aboutPin)
  })
})
