import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount } from '@worlds/testkit/world'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner, timestampForm, uuidForm } from './support'

const root = '/api/v2/account/watched'

describe('worlds that an account watches', () => {
  let system: System
  let own: Owner
  let owner: Api
  let watcher: Api
  beforeAll(async () => {
    system = await startSystem({ env: { gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '3' } } })
  })
  afterAll(() => system.stop())
  beforeEach(async () => {
    own = await newOwner(system)
    owner = accountApi(system.gateway, own.token)
    watcher = accountApi(system.gateway, (await createAccount(system)).token)
  })

  const mint = async (scope = 'read'): Promise<Body> =>
    expectBody(await owner.post(`/api/v2/account/worlds/${own.world}/keys`, { scope }), 201)
  const revoke = (id: string) => owner.delete(`/api/v2/account/worlds/${own.world}/keys/${id}`)
  const rename = async (name: string) => expectBody(await own.patch('/api/v2/world', { name }), 200)
  const list = async (account = watcher): Promise<Body[]> => expectBody(await account.get(root), 200).data
  const watch = async (key: string): Promise<Body> => expectBody(await watcher.post(root, { key }), 201)

  it('[AC-001][AC-002][AC-042] are added by a read key and listed', async () => {
    expect((await watcher.get(root)).text).toBe('{"data":[]}')
    const { key } = await mint()
    const reply = await watcher.post(root, { key })
    expect(expectBody(reply, 201)).toEqual({
      id: expect.stringMatching(uuidForm),
      world: { id: own.world, name: 'World' },
      last4: key.slice(-4),
      added_at: expect.stringMatching(timestampForm),
      stale: false,
    })
    const listed = await watcher.get(root)
    expect(expectBody(listed, 200)).toEqual({ data: [reply.body] })
    for (const { text } of [reply, listed]) expect(text).not.toContain(key)
    expect(await list(owner)).toEqual([])
  })

  it('[AC-001] are one row a key, however often it is added', async () => {
    const { key } = await mint()
    const row = await watch(key)
    expect(expectBody(await watcher.post(root, { key }), 200)).toEqual(row)
    const second = await watch((await mint()).key)
    expect(await list()).toEqual([row, second])
    expect(expectBody(await owner.post(root, { key }), 201).id).not.toBe(row.id)
  })

  it('[AC-001] are one row when a key is added several times at once', async () => {
    const { key } = await mint()
    const replies = await Promise.all(Array.from({ length: 8 }, () => watcher.post(root, { key })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await list()).toHaveLength(1)
  })

  it('[AC-003] stay listed as stale when their key is revoked, with the name last seen', async () => {
    const { id, key } = await mint()
    const row = await watch(key)
    await rename('Renamed')
    expect(await list()).toEqual([{ ...row, world: { id: own.world, name: 'Renamed' } }])
    expect((await revoke(id)).status).toBe(204)
    await rename('Secret')
    const stale = { ...row, world: { id: own.world, name: 'Renamed' }, stale: true }
    expect(await list()).toEqual([stale])
    expectError(await watcher.post(root, { key }), 'invalid_request', 'key')
    expect(await list()).toEqual([stale])
  })

  it('[AC-003] keep the name that adding a key again showed', async () => {
    const { id, key } = await mint()
    const row = await watch(key)
    await rename('Renamed')
    const world = { id: own.world, name: 'Renamed' }
    expect(expectBody(await watcher.post(root, { key }), 200)).toEqual({ ...row, world })
    await revoke(id)
    expect(await list()).toEqual([{ ...row, world, stale: true }])
  })

  it('[AC-003] stay listed as stale when they are deleted', async () => {
    const { key } = await mint()
    const row = await watch(key)
    expect((await owner.delete(`/api/v2/account/worlds/${own.world}`)).status).toBe(204)
    expect(await list()).toEqual([{ ...row, stale: true }])
    expectError(await watcher.post(root, { key }), 'invalid_request', 'key')
  })

  it.each<[string, (keys: Record<string, string>) => Body, string | null]>([
    ['a write key', ({ write }) => ({ key: write }), 'key'],
    ['a revoked key', ({ revoked }) => ({ key: revoked }), 'key'],
    ['an unknown key', () => ({ key: `ow_r_${'A'.repeat(43)}` }), 'key'],
    ['a legacy key', () => ({ key: '0000000000' }), 'key'],
    ['a key with a blank before it', ({ read }) => ({ key: ` ${read}` }), 'key'],
    ['a long key', () => ({ key: `ow_r_${'A'.repeat(9_999)}` }), 'key'],
    ['no key', () => ({}), 'key'],
    ['null', () => ({ key: null }), 'key'],
    ['a key in a list', ({ read }) => ({ key: [read] }), 'key'],
    ['a field beside it', ({ read }) => ({ key: read, name: 'Mine' }), 'name'],
    ['no object', () => '[]', null],
    ['no body', () => undefined, null],
  ])('[AC-043] are not added by %s', async (_what, body, param) => {
    const revoked = await mint()
    await revoke(revoked.id)
    const keys = { read: (await mint()).key, write: own.key, revoked: revoked.key }
    expectError(await watcher.post(root, body(keys)), 'invalid_request', param)
    expect(await list()).toEqual([])
  })

  it('[AC-043] are asked for with unknown keys as often as one likes', async () => {
    for (let round = 0; round < 6; round += 1) {
      expectError(await watcher.post(root, { key: `ow_r_${round}` }), 'invalid_request', 'key')
    }
    expect((await api(system.gateway, { 'API-Key': own.key }).get('/api/v2/me')).status).toBe(200)
  })

  it('[AC-044] are watched no longer once removed', async () => {
    const { key } = await mint()
    const { id } = await watch(key)
    expectError(await owner.delete(`${root}/${id}`), 'not_found')
    expectError(await watcher.delete(`${root}/${randomUUID()}`), 'not_found')
    expectError(await watcher.delete(`${root}/nope`), 'invalid_request', 'id')
    expect(await list()).toHaveLength(1)
    const reply = await watcher.delete(`${root}/${id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(await list()).toEqual([])
    expectError(await watcher.delete(`${root}/${id}`), 'not_found')
    expect((await watch(key)).id).not.toBe(id)
  })

  it('[AC-042] are those of an account', async () => {
    const nobody = accountApi(system.gateway, '')
    for (const reply of [await nobody.get(root), await nobody.post(root, {}), await nobody.delete(`${root}/x`)]) {
      expectError(reply, 'invalid_credentials')
    }
  })
})
