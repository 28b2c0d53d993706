import { addMember, addPlayer, addSeat, removeMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { actAs, expectDone, expectRefused, newShared, type Shared } from './members-support'
import { type Body, expectBody } from './support'

let system: System
let shared: Shared

beforeAll(async () => {
  system = await startSystem({ elements: 2, gateways: 2, env: { gateway: { REQUEST_BUDGET: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
})

/** A member with a seat of its own making in each role that it may give. */
async function maker() {
  const member = await addMember(system, shared, 'co_builder')
  const { bearer } = actAs(system, member)
  const make = async (role: string, character = 'new') => {
    const { key, pin, seat } = expectBody(
      await bearer.post(`${shared.path}/seats`, { name: role, role, character }),
      201,
    )
    return { ...seat, by: actAs(system, { headers: { 'API-Key': key, 'API-Pin': pin } }) }
  }
  return { ...member, bearer, make, seats: [await make('co_builder'), await make('contributor'), await make('guest')] }
}

const rolesOf = async (rows: readonly Body[]) => Promise.all(rows.map(async ({ id }) => (await shared.row(id)).role))

describe('the seats that a member made for itself', () => {
  it('[AG-021] are lowered with the member, and not raised again with it', async () => {
    const { membership, seats } = await maker()
    const linked = await addSeat(system, shared, { role: 'co_builder' })
    await setRole(system, shared, membership, 'contributor')
    expect(await rolesOf(seats)).toEqual(['contributor', 'contributor', 'guest'])
    await setRole(system, shared, membership, 'guest')
    expect(await rolesOf(seats)).toEqual(['guest', 'guest', 'guest'])
    for (const { by } of seats) expect((await by.get('/api/v2/me')).body.role).toBe('guest')
    await setRole(system, shared, membership, 'co_builder')
    expect(await rolesOf(seats)).toEqual(['guest', 'guest', 'guest'])
    expect((await shared.row(linked.membership)).role).toBe('co_builder')
  })

  it('[AG-021] keep a Character of their own when they become guests, and lose another', async () => {
    const { id: character } = await shared.make('character')
    const { membership, make, seats } = await maker()
    const bare = await make('contributor', 'none')
    expectBody(await shared.bearer.patch(`${shared.path}/members/${bare.id}`, { character }), 200)
    await setRole(system, shared, membership, 'guest')
    expect((await shared.row(seats[0]?.id)).character).toBe(seats[0]?.character)
    expect((await shared.row(bare.id)).character).toBeNull()
  })

  it('[AG-021] see no more than the member from the next request on', async () => {
    const { membership, seats } = await maker()
    const { id } = await shared.make('zone')
    const [builder] = seats
    expect((await builder?.by.get(`/api/v2/zone/${id}`))?.status).toBe(200)
    await setRole(system, shared, membership, 'guest')
    expect((await builder?.by.get(`/api/v2/zone/${id}`))?.status).toBe(404)
  })

  it('[AG-021] are not raised above the member by the owner either', async () => {
    const { membership, seats } = await maker()
    await setRole(system, shared, membership, 'contributor')
    const path = `${shared.path}/members/${seats[2]?.id}`
    expectRefused(await shared.bearer.patch(path, { role: 'co_builder' }), 'invalid_request', 'role')
    expect(expectBody(await shared.bearer.patch(path, { role: 'contributor' }), 200).role).toBe('contributor')
    const linked = await addSeat(system, shared, { role: 'guest' })
    const raised = await shared.bearer.patch(`${shared.path}/members/${linked.membership}`, { role: 'co_builder' })
    expect(expectBody(raised, 200).role).toBe('co_builder')
  })

  it.each(['removal', 'leaving', 'account'])('[AG-005][AG-024] go with the member, by %s', async (how) => {
    const { membership, bearer, account, seats, headers } = await maker()
    const linked = await addSeat(system, shared, { link: { sponsor_email: account.email } })
    for (const { by } of seats) expect((await by.get('/api/v2/me')).status).toBe(200)
    if (how === 'removal') await removeMember(system, shared, membership)
    else expectDone(await (how === 'leaving' ? bearer.post(`${shared.path}/leave`) : bearer.delete('/api/v2/account')))
    for (const { by } of [...seats, { by: actAs(system, { headers }) }]) {
      expectRefused(await by.get('/api/v2/me'), 'invalid_credentials')
    }
    for (const { id } of seats) expect((await shared.row(id)).status).toBe('removed')
    expect((await shared.row(linked.membership)).status).toBe('active')
    expectBody(await actAs(system, linked).post('/api/v2/zone', { name: 'x' }), 201)
    const { data } = expectBody(await shared.bearer.get(`${shared.path}/seats`), 200)
    expect(data.find(({ id }: Body) => id === linked.membership).sponsor).toBe(true)
    const { data: keys } = expectBody(await shared.bearer.get(`${shared.path}/keys`), 200)
    const gone = new Set([membership, ...seats.map(({ id }) => id)])
    expect(keys.filter((key: Body) => gone.has(key.membership))).toEqual([])
  })

  it('[AG-021] that are made while the member is demoted end no higher than it', async () => {
    const { membership, bearer } = await maker()
    const making = Array.from({ length: 12 }, () =>
      bearer.post(`${shared.path}/seats`, { name: 'x', role: 'co_builder', character: 'none' }),
    )
    await setRole(system, shared, membership, 'contributor')
    const made = (await Promise.all(making)).filter(({ status }) => status === 201)
    const rows = made.map(({ body }) => body.seat)
    expect(new Set(await rolesOf(rows))).toEqual(new Set(rows.length === 0 ? [] : ['contributor']))
  })

  it('[AG-005] that are made while the member is removed do not outlive it', async () => {
    const { membership, bearer } = await maker()
    const making = Array.from({ length: 12 }, () =>
      bearer.post(`${shared.path}/seats`, { name: 'x', character: 'none' }),
    )
    await removeMember(system, shared, membership)
    const made = (await Promise.all(making)).filter(({ status }) => status === 201)
    for (const { body } of made) {
      const { key, pin } = body
      const by = actAs(system, { headers: { 'API-Key': key, 'API-Pin': pin } })
      await until(async () => (await by.get('/api/v2/me')).status === 401)
      expect((await shared.row(body.seat.id)).status).toBe('removed')
    }
  })
})

describe('a player whom the owner has promoted', () => {
  it.each(['contributor', 'co_builder'] as const)('[AC-051] to %s has no allowance of AI tokens', async (role) => {
    const player = await addPlayer(system, shared)
    await setRole(system, shared, player.membership, role)
    const by = actAs(system, { headers: { ...player.headers, 'API-Pin': '' } })
    expect((await by.get('/api/v2/me')).body.role).toBe(role)
    expectRefused(await by.get('/api/v2/tokens/status'), 'guest_not_supported')
    expectRefused(await by.get('/api/v2/tokens/status?x=1'), 'guest_not_supported')
    expectBody(await by.get('/api/v2/world/sharing'), 200)
  })
})
