import { api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, removeMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { newParty, type Party, partyNames, roleOf, writerOf } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const roster = async (): Promise<Body[]> => expectBody(await own.get('/api/v2/members'), 200).data

describe('the roster', () => {
  it('[MB-002][MB-005][MB-006][MB-010][MB-020][MB-025] has a row for each member, in the order of joining', async () => {
    const played = (await own.make('character')).id
    const builder = await addMember(system, own, 'co_builder')
    const writer = await addMember(system, own, 'contributor', { rosterCharacter: played })
    const guest = await addMember(system, own, 'guest')
    const seat = await addSeat(system, own, { name: 'Scribe' })
    const player = await addPlayer(system, own)
    const active = { status: 'active' }
    expect(await roster()).toEqual([
      { id: null, kind: 'owner', role: 'owner', character: null, ...active },
      { id: builder.membership, kind: 'person', role: 'co_builder', character: null, ...active },
      { id: writer.membership, kind: 'person', role: 'contributor', character: played, ...active },
      { id: guest.membership, kind: 'person', role: 'guest', character: guest.character, ...active },
      { id: seat.membership, kind: 'agent', role: 'contributor', character: seat.character, ...active, name: 'Scribe' },
      { id: player.membership, kind: 'person', role: 'guest', character: player.character, ...active },
    ])
  })

  it('[MB-003] has in id what created_by holds', async () => {
    const { headers, membership } = await addMember(system, own, 'contributor')
    const made = expectBody(await api(system.gateway, headers).post('/api/v2/event', { name: 'E' }), 201)
    expect((await roster()).map(({ id }) => id)).toEqual([null, made.created_by])
    expect(made.created_by).toBe(membership)
  })

  it('[MB-007] names the Character that is the member: its own, a chosen one, or none', async () => {
    const chosen = (await own.make('character')).id
    const withOne = await addMember(system, own, 'co_builder', { rosterCharacter: chosen })
    const without = await addMember(system, own, 'co_builder')
    const seat = await addSeat(system, own)
    const bare = await addSeat(system, own, { link: { with_character: false } })
    expect([withOne, without, bare].map(({ character }) => character)).toEqual([chosen, null, null])
    expect((await roster()).map(({ character }) => character)).toEqual([null, chosen, null, seat.character, null])
    expect(await own.read('character', seat.character ?? '')).toMatchObject({
      supertype: 'Agent',
      created_by: seat.membership,
    })
  })

  it('[MB-009][MB-020][MB-026] keeps the rows of removed members, after all others', async () => {
    const [first, second, third] = [
      await addMember(system, own, 'guest'),
      await addMember(system, own, 'contributor'),
      await addSeat(system, own),
    ]
    await removeMember(system, own, second.membership)
    await removeMember(system, own, first.membership)
    expect((await roster()).map(({ id, status }) => [id, status])).toEqual([
      [null, 'active'],
      [third.membership, 'active'],
      [first.membership, 'removed'],
      [second.membership, 'removed'],
    ])
  })

  it('[MB-011] carries neither names nor email addresses of persons, whoever reads it', async () => {
    const options = { name: 'Wanda Underhill' }
    const members = [
      await addMember(system, own, 'guest', options),
      await addMember(system, own, 'contributor', options),
    ]
    await addPlayer(system, own, { name: 'Wanda Underhill' })
    for (const by of [own, ...members.map(({ headers }) => api(system.gateway, headers))]) {
      const { text } = await by.get('/api/v2/members')
      for (const { account } of [own, ...members]) {
        expect(text).not.toContain(account.email)
        expect(text).not.toContain(account.id)
      }
      expect(text).not.toMatch(/Wanda|@/)
    }
  })

  it('[MB-021][MB-022] answers all of it at once', async () => {
    const seats = []
    for (let n = 0; n < 120; n += 1) seats.push((await addSeat(system, own, { name: `S${n}` })).membership)
    expect((await roster()).map(({ id }) => id)).toEqual([null, ...seats])
  })
})

describe.each(partyNames)('who a key is: %s', (name) => {
  let party: Party
  let me: Body
  beforeEach(async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id }), 200)
    party = await newParty(system, own, name)
    me = expectBody(await api(system.gateway, { 'API-Key': party.headers['API-Key'] ?? '' }).get('/api/v2/me'), 200)
  })

  it('[MB-012][MB-013][MB-014][MB-015][MB-017][MB-018][MB-019][MB-027][MB-028] is told without a PIN', async () => {
    const row = (await roster()).find(({ id }) => id === party.membership)
    const agent = name.endsWith('seat')
    const kind = agent ? 'agent' : party.membership === null ? 'owner' : 'person'
    expect(me).toEqual({
      world: { id: own.world, name: 'World' },
      scope: party.reads ? 'read' : 'write',
      kind,
      role: roleOf(name),
      membership: party.membership,
      character: row.character,
      ...(agent ? { name: 'Agent' } : {}),
    })
    expect(row.kind).toBe(kind)
  })

  // A player has no key to make anything with.
  if (name !== 'player') {
    it('[MB-016] has in membership what created_by holds', async () => {
      const made = expectBody(await writerOf(party).post('/api/v2/event', { name: 'E' }), 201)
      expect(made.created_by).toBe(me.membership)
    })
  }

  it('[MB-021] reads the roster without a PIN', async () => {
    const reply = await api(system.gateway, { 'API-Key': party.headers['API-Key'] ?? '' }).get('/api/v2/members')
    expect(expectBody(reply, 200).data).toEqual(await roster())
  })
})
