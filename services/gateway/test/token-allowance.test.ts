import { api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, mintReadKey, removeMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { createWorld } from '@worlds/testkit/world'
import pg from 'pg'
import { actAs, expectRefused, newShared, type Shared } from './members-support'
import { expectBody } from './support'

const path = '/api/v2/tokens'
let system: System
let shared: Shared

beforeAll(async () => {
  system = await startSystem({ env: { membership: { TOKEN_RATING: '100' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
})

const midnight = () => `${new Date().toISOString().slice(0, 10)}T00:00:00.000000+00:00`
const used = async (by: { get: typeof shared.get } = shared) =>
  expectBody(await by.get(`${path}/status`), 200).tokens_used_today

describe('the allowance of AI tokens', () => {
  it('[AC-051] is whole at the start of a day', async () => {
    expect(expectBody(await shared.get(`${path}/status`), 200)).toEqual({
      tokens_available_today: 100,
      token_rating: 100,
      tokens_used_today: 0,
      last_reset: midnight(),
      sessions_active: 0,
    })
  })

  it('[AC-051] is consumed, and counts sessions', async () => {
    const send = (body: unknown) => shared.post(`${path}/consume`, body)
    expect(expectBody(await send({ amount: 30 }), 200)).toEqual({
      success: true,
      tokens_consumed: 30,
      tokens_remaining: 70,
      token_rating: 100,
      error: null,
    })
    const full = { amount: '20', service: 'chat', session_id: 'a', metadata: { model: 'm' } }
    expect(expectBody(await send(full), 200).tokens_remaining).toBe(50)
    for (const session_id of ['a', 'b', null]) expectBody(await send({ amount: 1, session_id, metadata: null }), 200)
    expect(expectBody(await shared.get(`${path}/status`), 200)).toMatchObject({
      tokens_available_today: 47,
      tokens_used_today: 53,
      sessions_active: 2,
    })
  })

  it('[AC-051] may be exceeded, with a warning', async () => {
    const reply = expectBody(await shared.post(`${path}/consume`, { amount: 150 }), 200)
    expect(reply).toEqual({
      success: true,
      tokens_consumed: 150,
      tokens_remaining: 0,
      token_rating: 100,
      error: expect.stringContaining('50'),
    })
    expect(expectBody(await shared.get(`${path}/status`), 200).tokens_available_today).toBe(0)
  })

  it('[AC-051] counts what is consumed at once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => shared.post(`${path}/consume`, { amount: 2 })))
    expect(await used()).toBe(20)
  })

  it.each<[unknown, string | null]>([
    [{}, 'amount'],
    [{ amount: 0 }, 'amount'],
    [{ amount: -5 }, 'amount'],
    [{ amount: null }, 'amount'],
    [{ amount: 'many' }, 'amount'],
    [{ amount: 3_000_000_000 }, 'amount'],
    [{ amount: [1] }, 'amount'],
    [{ amount: 1, session_id: 7 }, 'session_id'],
    [{ amount: 1, service: {} }, 'service'],
    [{ amount: 1, metadata: [] }, 'metadata'],
    [{ amount: 1, world: 'x' }, 'world'],
    ['', null],
    ['[]', null],
  ])('[AC-051] is not consumed by %j', async (body, param) => {
    expectRefused(await shared.post(`${path}/consume`, body), 'invalid_request', param)
    expect(await used()).toBe(0)
  })

  it("[AC-051] is the key's account's, over all its worlds", async () => {
    const { key } = await createWorld(system, shared.token)
    const second = api(system.gateway, { 'API-Key': key, 'API-Pin': shared.pin })
    expectBody(await second.post(`${path}/consume`, { amount: 10 }), 200)
    expect(await used()).toBe(10)
    const member = actAs(system, await addMember(system, shared, 'contributor'))
    expect(await used(member)).toBe(0)
    expectBody(await member.post(`${path}/consume`, { amount: 5 }), 200)
    expect([await used(), await used(member)]).toEqual([10, 5])
  })

  it("[AC-051] is its sponsor's for a seat, and the owner's once the sponsor has left", async () => {
    const sponsor = await addMember(system, shared, 'contributor')
    const seat = actAs(system, await addSeat(system, shared, { link: { sponsor_email: sponsor.account.email } }))
    expectBody(await seat.post(`${path}/consume`, { amount: 7 }), 200)
    expect([await used(actAs(system, sponsor)), await used()]).toEqual([7, 0])
    await removeMember(system, shared, sponsor.membership)
    expectBody(await seat.post(`${path}/consume`, { amount: 2 }), 200)
    expect(await used()).toBe(2)
  })

  it('[AC-051] begins anew on another day', async () => {
    expectBody(await shared.post(`${path}/consume`, { amount: 60, session_id: 'a' }), 200)
    const client = new pg.Client({ connectionString: system.databaseUrl })
    await client.connect()
    await client
      .query('update membership.allowances set day = day - 1 where account_id = $1', [shared.account.id])
      .finally(() => client.end())
    expect(await used()).toBe(0)
    expectBody(await shared.post(`${path}/consume`, { amount: 1, session_id: 'b' }), 200)
    const status = expectBody(await shared.get(`${path}/status`), 200)
    expect([status.tokens_used_today, status.sessions_active]).toEqual([1, 1])
  })

  it('[AC-051] is nothing for guests', async () => {
    const guest = actAs(system, await addMember(system, shared, 'guest'))
    expectRefused(await guest.get(`${path}/status`), 'guest_not_supported')
    expectRefused(await guest.post(`${path}/consume`, {}), 'guest_not_supported')
    const player = api(system.gateway, (await addPlayer(system, shared)).headers)
    expectRefused(await player.get(`${path}/status`), 'guest_not_supported')
  })

  it('[AC-051] is shown to read keys, and consumed with a write key and its PIN', async () => {
    const reader = api(system.gateway, { 'API-Key': await mintReadKey(system, shared.world, shared.token) })
    expect(await used(reader)).toBe(0)
    expectRefused(await reader.post(`${path}/consume`, { amount: 1 }), 'permission_error')
    const bare = api(system.gateway, { 'API-Key': shared.key })
    expectRefused(await bare.post(`${path}/consume`, { amount: 1 }), 'invalid_credentials')
    expectRefused(await api(system.gateway).get(`${path}/status`), 'invalid_credentials')
    expectRefused(await shared.get(`${path}/status?x=1`), 'invalid_request', 'x')
  })

  it.each([
    ['get', ''],
    ['get', '/consume'],
    ['post', '/status'],
    ['post', '/access-key'],
    ['get', '/encryption-info'],
    ['post', '/session/revoke'],
  ] as const)('[AC-051] has no other route: %s /tokens%s', async (method, rest) => {
    expectRefused(await shared[method](`${path}${rest}`), 'not_found')
  })
})
