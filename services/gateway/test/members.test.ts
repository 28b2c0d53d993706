import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, mintReadKey, removeMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import {
  accept,
  actAs,
  expectDone,
  expectRefused,
  invite,
  newPerson,
  newShared,
  root,
  type Shared,
} from './members-support'
import { type Body, expectBody, timestampForm } from './support'

let system: System
let shared: Shared

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
})

const patch = (membership: string, body: unknown) => shared.bearer.patch(`${shared.path}/members/${membership}`, body)
const remove = (membership: string) => shared.bearer.delete(`${shared.path}/members/${membership}`)
const meOf = async (headers: Record<string, string>) =>
  expectBody(await api(system.gateway, headers).get('/api/v2/me'), 200)

describe('the roster', () => {
  it('[MB-002][MB-005][MB-006][MB-007][MB-009][MB-010][MB-020] has a row for each member', async () => {
    const builder = await addMember(system, shared, 'co_builder')
    const contributor = await addMember(system, shared, 'contributor')
    const guest = await addMember(system, shared, 'guest')
    const seat = await addSeat(system, shared, { name: 'Scribe' })
    await removeMember(system, shared, contributor.membership)
    const row = { kind: 'person', status: 'active', character: null }
    expect(await shared.roster()).toEqual([
      { id: null, kind: 'owner', role: 'owner', character: null, status: 'active' },
      { ...row, id: builder.membership, role: 'co_builder' },
      { ...row, id: guest.membership, role: 'guest', character: guest.character },
      { ...row, id: seat.membership, kind: 'agent', role: 'contributor', character: seat.character, name: 'Scribe' },
      { ...row, id: contributor.membership, role: 'contributor', status: 'removed' },
    ])
  })

  it('[MB-003][MB-016] names who created what', async () => {
    for (const member of [await addMember(system, shared, 'contributor'), await addSeat(system, shared)]) {
      const made = expectBody(await actAs(system, member).post('/api/v2/location', { name: 'Inn' }), 201)
      expect(made.created_by).toBe(member.membership)
      expect((await meOf(member.headers)).membership).toBe(member.membership)
      expect(await shared.row(member.membership)).toBeDefined()
    }
  })

  it('[MB-011] carries neither names nor emails of members, nor do their Characters', async () => {
    const member = await addMember(system, shared, 'guest', { name: 'Wanda Underhill' })
    for (const by of [shared, actAs(system, member)]) {
      const { text } = await by.get('/api/v2/members')
      expect(text).not.toContain(member.account.email)
      expect(text).not.toContain('Wanda')
    }
    expect((await shared.get('/api/v2/character')).text).not.toContain('Wanda')
  })

  it('[MB-021][MB-027] answers every kind of key without a PIN', async () => {
    const member = await addMember(system, shared, 'contributor')
    const guest = await addMember(system, shared, 'guest')
    const seat = await addSeat(system, shared)
    const player = await addPlayer(system, shared)
    const reader = await mintReadKey(system, shared.world, member.token)
    for (const key of [member.key, guest.key, seat.key, player.key, reader]) {
      const by = api(system.gateway, { 'API-Key': key })
      expect(expectBody(await by.get('/api/v2/members'), 200).data).toHaveLength(5)
      expect((await by.get('/api/v2/me')).status).toBe(200)
    }
  })

  it('[MB-024][MB-025][MB-026] shows the owner, those who are in as they joined, and those who are gone', async () => {
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) ids.push((await addSeat(system, shared)).membership)
    const [a, b, c, d] = ids as [string, string, string, string]
    await removeMember(system, shared, c)
    await removeMember(system, shared, a)
    expect((await shared.roster()).map(({ id }) => id)).toEqual([null, b, d, a, c])
  })

  it('[MB-022] is one reply however many there are', async () => {
    for (let batch = 0; batch < 15; batch += 1) {
      const seat = (n: number) => shared.bearer.post(`${shared.path}/seats`, { name: `S${n}`, character: 'none' })
      const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => seat(n)))
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    }
    expect(await shared.roster()).toHaveLength(151)
    expectRefused(await shared.get('/api/v2/members?limit=1'), 'invalid_request', 'limit')
  })
})

describe('who a key is', () => {
  it('[MB-014][MB-015][MB-017][MB-019][MB-028] is told to members', async () => {
    const world = { id: shared.world, name: 'World' }
    for (const role of ['co_builder', 'contributor', 'guest'] as const) {
      const { membership, character, headers } = await addMember(system, shared, role)
      const me = { world, scope: 'write', kind: 'person', role, membership, character }
      expect(await meOf(headers)).toEqual(me)
    }
    const { membership, character, headers } = await addSeat(system, shared, { name: 'Scribe' })
    const me = { world, scope: 'write', kind: 'agent', role: 'contributor', membership, character, name: 'Scribe' }
    expect(await meOf(headers)).toEqual(me)
  })

  it('[MB-013][MB-015] is a guest that only reads for a player', async () => {
    const { membership, character, headers } = await addPlayer(system, shared)
    expect(await meOf(headers)).toMatchObject({ scope: 'read', kind: 'person', role: 'guest', membership, character })
    const by = api(system.gateway, headers)
    expectRefused(await by.post('/api/v2/zone', { name: 'x' }, { 'API-Pin': '1234' }), 'permission_error')
  })
})

describe('the members listing', () => {
  it('[AC-033][AC-034] shows who joined when and whom one sponsors', async () => {
    const member = await addMember(system, shared, 'contributor')
    const seat = await addSeat(system, shared, { link: { sponsor_email: member.account.email } })
    const own = await addSeat(system, shared)
    const listed = expectBody(await shared.bearer.get(`${shared.path}/members`), 200)
    expect(Object.keys(listed)).toEqual(['data', 'invites'])
    const { created_at } = expectBody(await shared.bearer.get(shared.path), 200)
    const roster = await shared.roster()
    const joined_at = expect.stringMatching(timestampForm)
    expect(listed.data).toEqual([
      { ...roster[0], joined_at: created_at, sponsored: false },
      { ...roster[1], joined_at, sponsored: false },
      { ...roster[2], joined_at, sponsored: false },
      { ...roster[3], joined_at, sponsored: true },
    ])
    const theirs = expectBody(await actAs(system, member).bearer.get(`${shared.path}/members`), 200)
    const sponsored = theirs.data.filter((row: Body) => row.sponsored).map(({ id }: Body) => id)
    expect(sponsored).toEqual([seat.membership])
    expect(own.membership).toBe(roster[3].id)
  })

  it('[AC-033] shows invites to the owner alone', async () => {
    const member = await addMember(system, shared, 'co_builder')
    await invite(shared, 'ann@example.org', 'guest')
    expect(expectBody(await shared.bearer.get(`${shared.path}/members`), 200).invites).toHaveLength(1)
    const reply = await actAs(system, member).bearer.get(`${shared.path}/members`)
    expect(expectBody(reply, 200).invites).toEqual([])
    expect(reply.text).not.toContain('ann@')
  })

  it('[AC-033] leaves hidden Characters out for those who do not see them', async () => {
    const seat = await addSeat(system, shared)
    const member = await addMember(system, shared, 'contributor')
    expectDone(await shared.put(`/api/v2/character/${seat.character}/hidden`))
    const of = async (by: { get: typeof shared.get }) =>
      expectBody(await by.get(`${shared.path}/members`), 200).data.find(({ id }: Body) => id === seat.membership)
    expect((await of(shared.bearer)).character).toBe(seat.character)
    expect((await of(actAs(system, member).bearer)).character).toBeNull()
  })
})

describe('changing a member', () => {
  it('[AC-015][AC-018] sets its role, from its next request on', async () => {
    const member = await addMember(system, shared, 'contributor')
    const zone = await shared.make('zone')
    const by = actAs(system, member)
    expectRefused(await by.patch(`/api/v2/zone/${zone.id}`, { name: 'x' }), 'not_author')
    const row = expectBody(await patch(member.membership, { role: 'co_builder' }), 200)
    expect(row).toEqual({
      id: member.membership,
      kind: 'person',
      role: 'co_builder',
      character: null,
      status: 'active',
    })
    expect(await shared.row(member.membership)).toEqual(row)
    expect((await meOf(member.headers)).role).toBe('co_builder')
    expectBody(await by.patch(`/api/v2/zone/${zone.id}`, { name: 'x' }), 200)
    await setRole(system, shared, member.membership, 'contributor')
    expectRefused(await by.patch(`/api/v2/zone/${zone.id}`, { name: 'y' }), 'not_author')
  })

  it('[AC-016] is for the owner alone', async () => {
    const member = await addMember(system, shared, 'co_builder')
    const by = actAs(system, member).bearer
    for (const id of [member.membership, randomUUID(), 'nope']) {
      expectRefused(await by.patch(`${shared.path}/members/${id}`, { role: 'king' }), 'permission_error')
    }
    expect((await shared.row(member.membership)).role).toBe('co_builder')
    const stranger = await newPerson(system)
    expectRefused(await stranger.bearer.patch(`${shared.path}/members/${member.membership}`, {}), 'not_found')
  })

  it.each<[unknown, string | null]>([
    [{ role: 'owner' }, 'role'],
    [{ role: null }, 'role'],
    [{ role: '' }, 'role'],
    [{ role: 'guest', status: 'removed' }, 'status'],
    [{ character: 'nope' }, 'character'],
    [{ name: 'x' }, 'name'],
    ['', null],
    ['[]', null],
  ])('[AC-017] refuses %j', async (body, param) => {
    const { membership } = await addSeat(system, shared)
    const before = await shared.roster()
    expectRefused(await patch(membership, body), 'invalid_request', param)
    expect(await shared.roster()).toEqual(before)
  })

  it('[AC-015] of nothing changes nothing, of whom there is not is not found', async () => {
    const { membership } = await addMember(system, shared, 'guest')
    expect(expectBody(await patch(membership, {}), 200)).toEqual(await shared.row(membership))
    const other = await newShared(system)
    const foreign = await addSeat(system, other)
    for (const id of [randomUUID(), foreign.membership]) expectRefused(await patch(id, {}), 'not_found')
    expectRefused(await patch('nope', { role: 'king' }), 'invalid_request', 'id')
    await removeMember(system, shared, membership)
    expectRefused(await patch(membership, { role: 'guest' }), 'not_found')
  })

  it('[AC-019][AC-020] to a guest leaves it a Character of its own making', async () => {
    const { id: theirs } = await shared.make('character')
    const lent = await addMember(system, shared, 'contributor', { rosterCharacter: theirs })
    expect(expectBody(await patch(lent.membership, { role: 'guest' }), 200).character).toBeNull()

    const seat = await addSeat(system, shared)
    expect(expectBody(await patch(seat.membership, { role: 'guest' }), 200).character).toBe(seat.character)
  })

  it('[AC-019] to a guest keeps the Character that a guest of old was given', async () => {
    const { membership, character } = await addMember(system, shared, 'guest')
    await setRole(system, shared, membership, 'contributor')
    expect(expectBody(await patch(membership, { role: 'guest' }), 200).character).toBe(character)
  })

  it('[AC-035] gives a seat or a player another Character, or none', async () => {
    const { id: character } = await shared.make('character')
    for (const { membership } of [await addSeat(system, shared), await addPlayer(system, shared)]) {
      expect(expectBody(await patch(membership, { character }), 200).character).toBe(character)
      expect((await shared.row(membership)).character).toBe(character)
      expect(expectBody(await patch(membership, { character: null }), 200).character).toBeNull()
    }
  })

  it('[AC-035] with a role and a Character together gives both', async () => {
    const { id: character } = await shared.make('character')
    const { membership } = await addSeat(system, shared)
    expect(expectBody(await patch(membership, { role: 'guest', character }), 200)).toMatchObject({
      role: 'guest',
      character,
    })
  })

  it('[AC-035] gives no person another Character', async () => {
    const { id: character } = await shared.make('character')
    const { membership } = await addMember(system, shared, 'guest')
    expectRefused(await patch(membership, { character }), 'invalid_request', 'character')
    expectRefused(await patch(membership, { character: null, role: 'contributor' }), 'invalid_request', 'character')
    expect((await shared.row(membership)).role).toBe('guest')
  })

  it('[AC-036] gives no hidden Character, and none that is not there', async () => {
    const { id: hidden } = await shared.make('character')
    expectDone(await shared.put(`/api/v2/character/${hidden}/hidden`))
    const { id: location } = await shared.make('location')
    const { membership, character } = await addSeat(system, shared)
    expectRefused(await patch(membership, { character: hidden }), 'character_hidden', 'character')
    for (const id of [location, randomUUID()])
      expectRefused(await patch(membership, { character: id }), 'invalid_link', 'character')
    expect((await shared.row(membership)).character).toBe(character)
  })
})

describe('removing a member', () => {
  it('[AC-008][AC-009][AC-010][AC-011] ends its keys and keeps its row and what it made', async () => {
    const member = await addMember(system, shared, 'contributor')
    const reader = await mintReadKey(system, shared.world, member.token)
    const by = actAs(system, member)
    const made = expectBody(await by.post('/api/v2/zone', { name: 'x' }), 201)
    expectDone(await remove(member.membership))
    for (const key of [member.key, reader]) {
      const keyed = api(system.gateway, { 'API-Key': key, 'API-Pin': member.pin })
      expectRefused(await keyed.get('/api/v2/me'), 'invalid_credentials')
      expectRefused(await keyed.get('/api/v2/zone'), 'invalid_credentials')
      expectRefused(await keyed.post('/api/v2/zone', { name: 'y' }), 'invalid_credentials')
    }
    expect(await shared.row(member.membership)).toMatchObject({ status: 'removed', role: 'contributor' })
    expect((await shared.read('zone', made.id)).created_by).toBe(member.membership)
    for (const path of ['', '/members', '/keys', '/seats']) {
      expectRefused(await by.bearer.get(`${shared.path}${path}`), 'not_found')
    }
    expect(expectBody(await by.bearer.get(`${root}/worlds`), 200).data).toEqual([])
    const { data } = expectBody(await shared.bearer.get(`${shared.path}/keys`), 200)
    expect(data.map((row: Body) => row.membership)).toEqual([null])
  })

  it('[AC-008] again, or of whom there is not', async () => {
    const { membership } = await addMember(system, shared, 'guest')
    expectDone(await remove(membership))
    expectDone(await remove(membership))
    expectRefused(await remove(randomUUID()), 'not_found')
    expectRefused(await remove('nope'), 'invalid_request', 'id')
  })

  it('[AC-008] is for the owner alone', async () => {
    const [a, b] = [await addMember(system, shared, 'co_builder'), await addMember(system, shared, 'guest')]
    const by = actAs(system, a).bearer
    for (const id of [b.membership, a.membership, randomUUID(), 'nope']) {
      expectRefused(await by.delete(`${shared.path}/members/${id}`), 'permission_error')
    }
    const stranger = await newPerson(system)
    expectRefused(await stranger.bearer.delete(`${shared.path}/members/${b.membership}`), 'not_found')
    expect((await shared.row(b.membership)).status).toBe('active')
  })

  it('[AC-009] leaves other members and other worlds alone', async () => {
    const other = await newShared(system)
    const person = await newPerson(system)
    const keys: string[] = []
    for (const world of [shared, other]) {
      expectBody(await accept(person, await invite(world, person.email, 'contributor')), 201)
      keys.push(expectBody(await person.bearer.post(`${world.path}/keys`), 201).key)
    }
    const kept = await addMember(system, shared, 'contributor')
    const [, here] = await shared.roster()
    expectDone(await remove(here.id))
    expectRefused(await api(system.gateway, { 'API-Key': keys[0] as string }).get('/api/v2/me'), 'invalid_credentials')
    expect((await api(system.gateway, { 'API-Key': keys[1] as string }).get('/api/v2/me')).status).toBe(200)
    expectBody(await actAs(system, kept).post('/api/v2/zone', { name: 'x' }), 201)
  })
})

describe('leaving', () => {
  it('[AC-012][AC-013][AC-014] ends the keys and keeps the row', async () => {
    const member = await addMember(system, shared, 'guest')
    const by = actAs(system, member)
    expectDone(await by.bearer.post(`${shared.path}/leave`))
    expectRefused(await by.get('/api/v2/me'), 'invalid_credentials')
    expect(await shared.row(member.membership)).toMatchObject({ status: 'removed' })
    expectRefused(await by.bearer.post(`${shared.path}/leave`), 'not_found')
  })

  it('[AC-012] is nothing for the owner, or for who is not in', async () => {
    expectRefused(await shared.bearer.post(`${shared.path}/leave`), 'permission_error')
    const stranger = await newPerson(system)
    expectRefused(await stranger.bearer.post(`${shared.path}/leave`), 'not_found')
    expect((await shared.get('/api/v2/me')).status).toBe(200)
  })
})

describe('routes of the owner', () => {
  it('[AC-016][AC-023] answer a member permission_error, and keep the world as it was', async () => {
    const { bearer } = actAs(system, await addMember(system, shared, 'co_builder'))
    const replies = [
      await bearer.patch(shared.path, { name: 'Mine' }),
      await bearer.delete(shared.path),
      await bearer.get(`${shared.path}/links`),
      await bearer.post(`${shared.path}/links`, { reader: 'agent' }),
      await bearer.delete(`${shared.path}/links/${randomUUID()}`),
    ]
    for (const reply of replies) expectRefused(reply, 'permission_error')
    expect((await shared.get('/api/v2/world')).body.name).toBe('World')
  })
})
