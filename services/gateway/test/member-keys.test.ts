import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat, type Member, mintReadKey, removeMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import pg from 'pg'
import { actAs, expectDone, expectRefused, newPerson, newShared, root, type Shared } from './members-support'
import { type Body, expectBody } from './support'

let system: System
let shared: Shared
let member: Member
let keys: string
let bearer: Api

beforeAll(async () => {
  system = await startSystem({ gateways: 2, env: { gateway: { REQUEST_BUDGET: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
  member = await addMember(system, shared, 'contributor')
  keys = `${shared.path}/keys`
  bearer = actAs(system, member).bearer
})

const at = (gateway: number, key: string, pin?: string) =>
  api(system.gateways[gateway] as string, { 'API-Key': key, ...(pin === undefined ? {} : { 'API-Pin': pin }) })
const write = (by: Api) => by.post('/api/v2/zone', { name: 'x' })
const idOf = async (by: Api, key: string) =>
  expectBody(await by.get(keys), 200).data.find(({ last4 }: Body) => last4 === key.slice(-4)).id as string

describe('keys of members', () => {
  it('[AU-013][AC-048] are minted by their own tokens, and speak for them', async () => {
    const row = expectBody(await bearer.post(keys, { name: 'Laptop', scope: 'write' }), 201)
    expect(row).toMatchObject({ scope: 'WRITE', name: 'Laptop', membership: member.membership, revoked: false })
    const me = expectBody(await at(0, row.key).get('/api/v2/me'), 200)
    expect(me).toMatchObject({ kind: 'person', membership: member.membership, scope: 'write' })
  })

  it('[AU-013] that read see what their member sees', async () => {
    const hidden = await shared.make('zone')
    expectDone(await shared.put(`/api/v2/zone/${hidden.id}/hidden`))
    const reader = at(0, await mintReadKey(system, shared.world, member.token))
    expect(expectBody(await reader.get('/api/v2/me'), 200)).toMatchObject({
      scope: 'read',
      role: 'contributor',
      membership: member.membership,
    })
    expectRefused(await reader.get(`/api/v2/zone/${hidden.id}`), 'not_found')
    const owners = at(0, await mintReadKey(system, shared.world, shared.token))
    expect((await owners.get(`/api/v2/zone/${hidden.id}`)).status).toBe(200)
  })

  it('[AC-048] may be minted by guests', async () => {
    const guest = await addMember(system, shared, 'guest')
    expect(expectBody(await actAs(system, guest).bearer.post(keys, { scope: 'read' }), 201).scope).toBe('READ')
  })

  it('[AC-048] show to their member alone, and to the owner', async () => {
    const other = await addMember(system, shared, 'co_builder')
    const membershipsFor = async (by: Api) =>
      expectBody(await by.get(keys), 200).data.map(({ membership }: Body) => membership)
    expect(await membershipsFor(bearer)).toEqual([member.membership])
    expect(await membershipsFor(actAs(system, other).bearer)).toEqual([other.membership])
    expect(await membershipsFor(shared.bearer)).toEqual([null, member.membership, other.membership])
    expectRefused(await (await newPerson(system)).bearer.get(keys), 'not_found')
  })

  it('[AC-048] are revoked by their member or by the owner', async () => {
    const [a, b] = [await mintReadKey(system, shared.world, member.token), member.key]
    expectDone(await bearer.delete(`${keys}/${await idOf(bearer, a)}`))
    const second = await idOf(shared.bearer, b)
    expectDone(await shared.bearer.delete(`${keys}/${second}`))
    expectDone(await bearer.delete(`${keys}/${second}`))
    for (const key of [a, b]) expectRefused(await at(0, key).get('/api/v2/me'), 'key_revoked')
  })

  it('[AC-048] of others are not theirs to revoke', async () => {
    const other = await addMember(system, shared, 'co_builder')
    const by = actAs(system, other).bearer
    for (const key of [member.key, shared.key]) {
      expectRefused(await by.delete(`${keys}/${await idOf(shared.bearer, key)}`), 'permission_error')
      expect((await at(0, key).get('/api/v2/me')).status).toBe(200)
    }
    expectRefused(await by.delete(`${keys}/${randomUUID()}`), 'not_found')
    expectRefused(await by.delete(`${keys}/nope`), 'invalid_request', 'id')
  })

  it('[AC-052] that write are not minted without an account PIN', async () => {
    await forgetPin(member)
    expectRefused(await bearer.post(keys), 'pin_required')
    expectRefused(await bearer.post(keys, { scope: 'admin' }), 'invalid_request', 'scope')
    expectBody(await bearer.post(keys, { scope: 'read' }), 201)
  })

  it('[AU-016][AU-033] do not open because their member has no PIN', async () => {
    await forgetPin(member)
    expectRefused(await write(at(0, member.key)), 'invalid_credentials')
    expectRefused(await write(at(0, member.key, member.pin)), 'invalid_credentials')
    expect((await at(0, member.key).get('/api/v2/zone')).status).toBe(200)
  })
})

describe('the PIN of a member', () => {
  it("[AU-016] is its own account's, not the owner's", async () => {
    expectBody(await write(at(0, member.key, member.pin)), 201)
    for (const pin of [shared.pin, undefined]) {
      expectRefused(await write(at(0, member.key, pin)), 'invalid_credentials')
    }
    expect((await at(0, member.key).get('/api/v2/zone')).status).toBe(200)
  })

  it('[AU-016][AU-029] holds anew from the very next write, in worlds that are shared', async () => {
    const elsewhere = at(1, member.key, member.pin)
    expectBody(await write(elsewhere), 201)
    expectBody(await bearer.patch(root, { pin: '5678', current_pin: member.pin }), 200)
    expectRefused(await write(elsewhere), 'invalid_credentials')
    expectBody(await write(at(1, member.key, '5678')), 201)
    expectBody(await write(shared), 201)
  })

  it('[AU-009][AU-017] is the seat secret for a seat', async () => {
    const seat = await addSeat(system, shared, { link: { sponsor_email: member.account.email } })
    expect(seat.pin).toMatch(/^ow_s_/)
    expectBody(await write(at(0, seat.key, seat.pin)), 201)
    for (const pin of [member.pin, shared.pin, undefined, `${seat.pin}x`]) {
      expectRefused(await write(at(0, seat.key, pin)), 'invalid_credentials')
    }
    expectRefused(await write(at(0, member.key, seat.pin)), 'invalid_credentials')
  })

  it("[AU-025] locks the member's writes alone after wrong guesses", async () => {
    for (let guess = 0; guess < 5; guess += 1) {
      expectRefused(await write(at(0, member.key, '1111')), 'invalid_credentials')
    }
    expectRefused(await write(at(1, member.key, member.pin)), 'rate_limited')
    expectBody(await write(shared), 201)
    expectBody(await write(actAs(system, await addSeat(system, shared))), 201)
  })
})

describe('after a removal', () => {
  it('[AC-009] no gateway goes by what it knew', async () => {
    const elsewhere = at(1, member.key, member.pin)
    expectBody(await write(elsewhere), 201)
    const head = await shared.head()
    await removeMember(system, shared, member.membership)
    expectRefused(await write(elsewhere), 'invalid_credentials')
    expectRefused(await elsewhere.get('/api/v2/changes'), 'invalid_credentials')
    expectRefused(await elsewhere.get('/api/v2/me'), 'invalid_credentials')
    expectRefused(await elsewhere.get('/api/v2/tokens/status'), 'invalid_credentials')
    expect(await shared.head()).toBe(head)
  })

  it('[AU-031][AC-009] a key that was revoked before still says so', async () => {
    expectDone(await bearer.delete(`${keys}/${await idOf(bearer, member.key)}`))
    const live = await mintReadKey(system, shared.world, member.token)
    await removeMember(system, shared, member.membership)
    expectRefused(await at(0, member.key).get('/api/v2/me'), 'key_revoked')
    expectRefused(await at(0, live).get('/api/v2/me'), 'invalid_credentials')
  })

  it('[AC-003] who watches by its read key is told that it stopped', async () => {
    const watcher = await newPerson(system)
    const key = await mintReadKey(system, shared.world, member.token)
    expectBody(await watcher.bearer.post(`${root}/watched`, { key }), 201)
    const stale = async () =>
      expectBody(await watcher.bearer.get(`${root}/watched`), 200).data.map((row: Body) => row.stale)
    expect(await stale()).toEqual([false])
    await removeMember(system, shared, member.membership)
    expect(await stale()).toEqual([true])
  })

  it('[AC-009] no key that was being minted stays', async () => {
    const minting = Promise.all(Array.from({ length: 8 }, () => bearer.post(keys, { scope: 'read' })))
    await removeMember(system, shared, member.membership)
    for (const { status, body } of await minting) {
      if (status !== 201) continue
      expectRefused(await at(0, body.key).get('/api/v2/me'), 'invalid_credentials')
    }
    expectRefused(await bearer.post(keys, { scope: 'read' }), 'not_found')
  })

  it("[AU-032] a deleted world's member keys are unknown", async () => {
    expectDone(await shared.bearer.delete(shared.path))
    expectRefused(await at(1, member.key).get('/api/v2/me'), 'invalid_credentials')
    expect(expectBody(await bearer.get(`${root}/worlds`), 200).data).toEqual([])
  })
})

/** No route does it: an account that has a PIN keeps one. */
async function forgetPin({ account }: Member): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  await client
    .query('update membership.accounts set pin_digest = null where id = $1', [account.id])
    .finally(() => client.end())
}
