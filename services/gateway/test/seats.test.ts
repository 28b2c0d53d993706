import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { actAs, expectDone, expectRefused, newPerson, newShared, type Shared } from './members-support'
import { type Body, expectBody, timestampForm } from './support'

let system: System
let shared: Shared
let seats: string

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
  seats = `${shared.path}/seats`
})

const listed = async (by = shared.bearer): Promise<Body[]> => expectBody(await by.get(seats), 200).data

describe('seats that members make', () => {
  it('[AG-003][AG-004][AG-021] have a key and a secret, shown once', async () => {
    const reply = await shared.bearer.post(seats, { name: 'Scribe' })
    const { key, pin, env, seat } = expectBody(reply, 201)
    expect(seat).toEqual({
      id: expect.any(String),
      role: 'contributor',
      agent_name: 'Scribe',
      character: expect.any(String),
      status: 'active',
      sponsor: true,
      created_at: expect.stringMatching(timestampForm),
    })
    expect(env.split('\n').slice(0, 2)).toEqual([`OW_API_KEY=${key}`, `OW_API_PIN=${pin}`])
    expect(await listed()).toEqual([seat])
    expect((await shared.bearer.get(seats)).text).not.toContain(pin)
    const by = api(system.gateway, { 'API-Key': key, 'API-Pin': pin })
    expect(expectBody(await by.post('/api/v2/zone', { name: 'x' }), 201).created_by).toBe(seat.id)
    expect(await shared.read('character', seat.character)).toMatchObject({ name: 'Scribe', supertype: 'Agent' })
  })

  it('[AG-023] are sponsored by whoever made them', async () => {
    const member = await addMember(system, shared, 'contributor')
    const by = actAs(system, member).bearer
    const { seat } = expectBody(await by.post(seats, { name: 'Mine' }), 201)
    expect([(await listed(by))[0].sponsor, (await listed())[0].sponsor]).toEqual([true, false])
    const other = actAs(system, await addMember(system, shared, 'co_builder')).bearer
    expectRefused(await other.delete(`${seats}/${seat.id}`), 'permission_error')
    expectDone(await by.delete(`${seats}/${seat.id}`))
    expectDone(await by.delete(`${seats}/${seat.id}`))
    expect((await listed()).map(({ status }) => status)).toEqual(['removed'])
  })

  it('[AG-021] have no role above that of their maker', async () => {
    const ranks = { co_builder: 3, contributor: 2, guest: 1 } as const
    for (const own of ['co_builder', 'contributor'] as const) {
      const by = actAs(system, await addMember(system, shared, own)).bearer
      for (const role of ['co_builder', 'contributor', 'guest'] as const) {
        const reply = await by.post(seats, { name: 'x', role, character: 'none' })
        if (ranks[role] > ranks[own]) expectRefused(reply, 'invalid_request', 'role')
        else expect(expectBody(reply, 201).seat.role).toBe(role)
      }
    }
  })

  it('[AG-021] are not for guests to make', async () => {
    const guest = actAs(system, await addMember(system, shared, 'guest')).bearer
    expectRefused(await guest.post(seats, { nome: 'x' }), 'permission_error')
    expect(await listed(guest)).toEqual([])
  })

  it('[AG-002] play a new Character, none, or that of their maker', async () => {
    const { id: character } = await shared.make('character')
    const member = await addMember(system, shared, 'contributor', { rosterCharacter: character })
    const by = actAs(system, member).bearer
    const played = async (which: string) =>
      expectBody(await by.post(seats, { name: 'x', character: which }), 201).seat.character
    expect(await played('mine')).toBe(character)
    expect(await played('none')).toBeNull()
    expect(await played('new')).not.toBe(character)
    expectBody(await shared.patch('/api/v2/world', { owner_character: character }), 200)
    const own = expectBody(await shared.bearer.post(seats, { name: 'x', character: 'mine' }), 201)
    expect(own.seat.character).toBe(character)
  })

  it('[HD-061] play none that is hidden, as if there were none', async () => {
    const { id: character } = await shared.make('character')
    const member = await addMember(system, shared, 'contributor', { rosterCharacter: character })
    const bare = await addMember(system, shared, 'contributor')
    expectDone(await shared.put(`/api/v2/character/${character}/hidden`))
    const replies = [member, bare].map(({ token, headers }) =>
      actAs(system, { token, headers }).bearer.post(seats, { name: 'x', character: 'mine' }),
    )
    const [hidden, none] = await Promise.all(replies)
    for (const reply of [hidden, none]) if (reply) expectRefused(reply, 'invalid_link', 'character')
    expect(hidden?.text).toBe(none?.text)
    expect(await shared.roster()).toHaveLength(3)
  })

  it.each<[unknown, string | null]>([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ name: 'x', role: 'owner' }, 'role'],
    [{ name: 'x', character: randomUUID() }, 'character'],
    [{ name: 'x', sponsor: true }, 'sponsor'],
    ['', null],
  ])('[AG-021] are not made of %j', async (body, param) => {
    expectRefused(await shared.bearer.post(seats, body), 'invalid_request', param)
    expect(await listed()).toEqual([])
  })
})

describe('the seats of a world', () => {
  it('[AG-018] are listed for any member, with the Characters that it sees', async () => {
    const [first, second] = [await addSeat(system, shared, { name: 'A' }), await addSeat(system, shared, { name: 'B' })]
    await addPlayer(system, shared)
    const member = actAs(system, await addMember(system, shared, 'contributor')).bearer
    expectDone(await shared.put(`/api/v2/character/${first.character}/hidden`))
    const of = (rows: Body[]) => rows.map(({ agent_name, character }) => [agent_name, character])
    const names = [
      ['A', first.character],
      ['B', second.character],
    ]
    expect(of(await listed())).toEqual(names)
    expect(of(await listed(member))).toEqual([['A', null], names[1]])
    expectRefused(await (await newPerson(system)).bearer.get(seats), 'not_found')
  })

  it('[AG-005] are removed by the owner, but other members not as seats', async () => {
    const seat = await addSeat(system, shared)
    const member = await addMember(system, shared, 'guest')
    expectDone(await shared.bearer.delete(`${seats}/${seat.membership}`))
    expectRefused(await actAs(system, seat).get('/api/v2/me'), 'invalid_credentials')
    for (const id of [member.membership, randomUUID()])
      expectRefused(await shared.bearer.delete(`${seats}/${id}`), 'not_found')
    expectRefused(await shared.bearer.delete(`${seats}/nope`), 'invalid_request', 'id')
    expect((await shared.row(member.membership)).status).toBe('active')
  })
})
