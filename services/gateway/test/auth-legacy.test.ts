import { membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount, createWorld } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let key: string
let legacy: Api

beforeAll(async () => {
  system = await startSystem({ elements: 1, gateways: 2 })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  key = await importKey(own.world)
  legacy = api(system.gateway, { 'API-Key': key })
})

let imported = 2_000_000_000

/** A 10-digit key as the operator brings it in. */
async function importKey(world: string, wanted?: string, readOnly = false): Promise<string> {
  imported += 1
  const key = wanted ?? String(imported)
  const peer = new RpcPeer([system.membershipAddress], system.serviceToken)
  const client = new RpcClient(membershipV1.Operator, peer)
  const request = { world_id: world, key, read_only: readOnly }
  const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
  const reply = await client.unary('ImportLegacyKey', request, settings).finally(() => peer.close())
  expect(reply.refusal ?? null).toBeNull()
  return key
}

const pin = { 'API-Pin': '1234' }
const publish = async (public_read: boolean) => {
  const path = `/api/v2/account/worlds/${own.world}`
  expectBody(await accountApi(system.gateway, own.token).patch(path, { public_read }), 200)
}

describe('a legacy key', () => {
  it('[AU-010][VR-005] reads and writes with the PIN', async () => {
    expect((await legacy.get('/api/v2/world', pin)).body.id).toBe(own.world)
    const made = expectBody(await legacy.post('/api/v2/character', { name: 'Ann' }, pin), 201)
    expect(made.created_by).toBeNull()
    expect((await legacy.get(`/api/v2/character/${made.id}`, pin)).body).toEqual(made)
  })

  it.each(['world', 'character', 'changes', 'changes?head=true'])(
    '[AU-019][WD-022] needs the PIN to read %s of a private world',
    async (path) => {
      expectError(await legacy.get(`/api/v2/${path}`), 'invalid_credentials', null, expect.stringMatching(/\bPIN\b/))
      expectError(await legacy.get(`/api/v2/${path}`, { 'API-Pin': '' }), 'invalid_credentials')
      expectError(await legacy.get(`/api/v2/${path}`, { 'API-Pin': '4321' }), 'invalid_credentials')
      expect((await legacy.get(`/api/v2/${path}`, pin)).status).toBe(200)
    },
  )

  it('[MB-021][MB-027] needs no PIN to say who it is and who is there', async () => {
    for (const path of ['me', 'members']) {
      expect((await legacy.get(`/api/v2/${path}`)).status).toBe(200)
      expect((await legacy.get(`/api/v2/${path}`, { 'API-Pin': '4321' })).status).toBe(200)
    }
  })

  it('[MB-013][MB-018][MB-028] answers as the owner', async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id }), 200)
    const me = expectBody(await legacy.get('/api/v2/me'), 200)
    expect(me).toEqual({
      world: { id: own.world, name: 'World' },
      scope: 'write',
      kind: 'owner',
      role: 'owner',
      membership: null,
      character: id,
    })
    expectBody(await legacy.patch('/api/v2/world', { name: 'By an old key' }, pin), 200)
  })

  it('[AU-020] reads a public world without the PIN, and writes it with the PIN alone', async () => {
    await publish(true)
    expect((await legacy.get('/api/v2/character')).status).toBe(200)
    expect((await legacy.get('/api/v2/character', { 'API-Pin': '4321' })).status).toBe(200)
    expectError(await legacy.post('/api/v2/character', { name: 'x' }), 'invalid_credentials')
    expect((await legacy.post('/api/v2/character', { name: 'x' }, pin)).status).toBe(201)
  })

  it('[AU-020] needs the PIN from the next request on when the world is private again, at every gateway', async () => {
    await publish(true)
    const second = api(system.gateways[1] as string, { 'API-Key': key })
    for (const path of ['world', 'character', 'changes', 'world', 'changes']) {
      expect((await second.get(`/api/v2/${path}`)).status).toBe(200)
    }
    for (const path of ['world', 'character', 'changes']) {
      await publish(false)
      expectError(await second.get(`/api/v2/${path}`), 'invalid_credentials')
      await publish(true)
      expect((await second.get(`/api/v2/${path}`)).status).toBe(200)
    }
  })

  it('[AU-021] reads openly where the account has no PIN, and writes so too', async () => {
    const { token } = await createAccount(system)
    const world = await createWorld(system, token)
    const open = api(system.gateway, { 'API-Key': await importKey(world.id) })
    expect((await open.get('/api/v2/world')).status).toBe(200)
    expect((await open.post('/api/v2/character', { name: 'Ann' })).status).toBe(201)
    const prefixed = api(system.gateway, { 'API-Key': world.key })
    expect((await prefixed.post('/api/v2/character', { name: 'Bea' })).status).toBe(201)
  })

  it('[AU-021] needs the PIN from the request after it was set, at every gateway', async () => {
    const { token } = await createAccount(system)
    const world = await createWorld(system, token)
    const second = api(system.gateways[1] as string, { 'API-Key': await importKey(world.id) })
    expect((await second.get('/api/v2/character')).status).toBe(200)
    expect((await second.post('/api/v2/character', { name: 'Ann' })).status).toBe(201)
    expectBody(await accountApi(system.gateway, token).patch('/api/v2/account', { pin: '1234' }), 200)
    expectError(await second.post('/api/v2/character', { name: 'Bea' }), 'invalid_credentials')
    expectError(await second.get('/api/v2/character'), 'invalid_credentials')
    expect((await second.get('/api/v2/character', pin)).body.data.map(({ name }: Body) => name)).toEqual(['Ann'])
  })

  it('[AU-010] that was brought in to read is 403 on a write', async () => {
    const demo = api(system.gateway, { 'API-Key': await importKey(own.world, '0000000007') })
    const readOnly = api(system.gateway, { 'API-Key': await importKey(own.world, undefined, true) })
    for (const reader of [demo, readOnly]) {
      expectError(await reader.post('/api/v2/character', { name: 'x' }, pin), 'permission_error')
      expect((await reader.get('/api/v2/me')).body.scope).toBe('read')
    }
    expect((await readOnly.get('/api/v2/world', pin)).status).toBe(200)
  })

  it.each(['0000000000', '0000000009'])(
    '[AU-019][AU-023] that is a demo key takes no PIN: a private world stays closed to it, and nothing is counted',
    async (demoKey) => {
      const demo = api(system.gateway, { 'API-Key': await importKey(own.world, demoKey) })
      for (const sent of [pin, { 'API-Pin': '4321' }, {}]) {
        for (let turn = 0; turn < 6; turn += 1) {
          expectError(await demo.get('/api/v2/world', sent), 'invalid_credentials', null, expect.stringMatching(/PIN/))
        }
      }
      expect((await legacy.get('/api/v2/world', pin)).status).toBe(200)
      for (let turn = 0; turn < 5; turn += 1) {
        expectError(await legacy.get('/api/v2/world', { 'API-Pin': '4321' }), 'invalid_credentials')
      }
      expectError(await legacy.get('/api/v2/world', pin), 'rate_limited')
      expectError(await demo.get('/api/v2/world', pin), 'invalid_credentials')
      await publish(true)
      expect((await demo.get('/api/v2/world', { 'API-Pin': '4321' })).status).toBe(200)
    },
  )

  it('[AU-010] is told apart from one with other leading zeros', async () => {
    const zeros = await importKey(own.world, '0123456789')
    expect((await api(system.gateway, { 'API-Key': zeros }).get('/api/v2/me')).status).toBe(200)
    expectError(await api(system.gateway, { 'API-Key': '123456789' }).get('/api/v2/me'), 'invalid_credentials')
  })
})
