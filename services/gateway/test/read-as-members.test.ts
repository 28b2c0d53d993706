import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, removeMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused, newParty, type Party, partyNames, roleOf } from './permission-parties'
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

const members = partyNames.filter((name) => roleOf(name) !== 'owner')
const as = (path: string, id: string | null, by: Api = own) =>
  by.get(`/api/v2/${path}${path.includes('?') ? '&' : '?'}as=${id}`)

/** One of everything that somebody sees or does not. */
async function cast({ character, writer }: Party): Promise<string[]> {
  const named = { characters: [character ?? (await own.make('character')).id] }
  const place = await own.make('location')
  const elements = [
    await own.make('narrative', { name: 'open' }),
    await own.make('narrative', { name: 'addressed', ...named, locations: [place.id] }),
    await own.make('narrative', { name: 'hidden', ...named }),
    await own.make('narrative', { name: 'linking', ...named, protagonist: character }),
  ]
  for (const name of ['its own', 'its own, hidden'])
    if (writer !== null) elements.push(expectBody(await writer.post('/api/v2/narrative', { name, locations: [] }), 201))
  for (const { id, name } of elements)
    if (name.includes('hidden')) expect((await own.put(`/api/v2/narrative/${id}/hidden`)).status).toBe(204)
  return elements.map(({ id }) => id)
}

describe.each(members)('as=<membership> of a %s', (name) => {
  let member: Party
  beforeEach(async () => {
    member = await newParty(system, own, name)
  })

  it('[RA-007][RA-008] reads as its own key, its creations included', async () => {
    const ids = await cast(member)
    for (const path of [
      'narrative',
      'character',
      'location',
      'narrative?expand=locations,characters',
      'narrative?fields=name,characters',
    ]) {
      const mine = expectBody(await member.get(`/api/v2/${path}`), 200)
      expect(expectBody(await as(path, member.membership), 200).data).toEqual(mine.data)
    }
    for (const id of ids) {
      const [mine, theirs] = [
        await member.get(`/api/v2/narrative/${id}`),
        await as(`narrative/${id}`, member.membership),
      ]
      expect([theirs.status, theirs.body]).toEqual([mine.status, mine.body])
    }
    const hidden = await as(`narrative/${ids[2]}`, member.membership)
    expect(hidden.status).toBe(member.role === 'co_builder' ? 200 : 404)
  })

  it('[RA-007] pages as its own key does', async () => {
    const ids = await cast(member)
    const walk = async (by: Api, query: string) => {
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const { data, next_cursor } = expectBody(await by.get(`/api/v2/narrative?limit=2${query}${cursor}`), 200)
        found.push(...data.map(({ id }: Body) => id))
        if (next_cursor === null) return found
        cursor = `&cursor=${next_cursor}`
      }
    }
    const found = await walk(own, `&as=${member.membership}`)
    expect(found).toEqual(await walk(member, ''))
    expect(found.length).toBe(
      { co_builder: 6, contributor: 5, guest: member.writer === null ? 2 : 4 }[member.role as string],
    )
    expect(found.every((id) => ids.includes(id))).toBe(true)
  })

  it('[RA-019][RA-020][RA-021] answers for what was deleted as its role is told', async () => {
    const seen = (await own.make('narrative', { characters: [member.character].filter((id) => id !== null) })).id
    const hidden = (await own.make('narrative')).id
    expect((await own.put(`/api/v2/narrative/${hidden}/hidden`)).status).toBe(204)
    for (const id of [seen, hidden]) expect((await own.delete(`/api/v2/narrative/${id}`)).status).toBe(204)
    for (const id of [seen, hidden]) {
      const reply = await as(`narrative/${id}`, member.membership)
      if (member.role === 'guest') expectRefused(reply, 404, 'not_found')
      else expectRefused(reply, 410, 'gone')
      // Without as nobody is told.
      expectRefused(await own.get(`/api/v2/narrative/${id}`), 404, 'not_found')
      expectRefused(await member.get(`/api/v2/narrative/${id}`), 404, 'not_found')
    }
    for (const path of [`narrative/${randomUUID()}`, `event/${seen}`])
      expectRefused(await as(path, member.membership), 404, 'not_found')
  })

  it('[RA-015] is not for its own key to send, not even for itself', async () => {
    const { id } = await own.make('narrative')
    for (const value of ['public', member.membership, randomUUID(), 'xyz', id]) {
      expectRefused(await as('narrative', value, member), 403, 'view_as_owner_only')
      expectRefused(await as(`narrative/${id}`, value, member), 403, 'view_as_owner_only')
    }
  })

  it('[RA-006][RA-017] is 422 where there is no reading as another, whoever sends it', async () => {
    const { id } = await own.make('narrative')
    const reads = ['world', 'changes', 'members', 'me', 'world/hidden']
    for (const path of reads) expectRefused(await as(path, 'public', member), 422, 'invalid_request', 'as')
    const head = await own.head()
    const narrative = `/api/v2/narrative/${id}`
    for (const reply of [
      await member.post('/api/v2/narrative?as=public', { name: 'x' }),
      await member.put(`${narrative}?as=public`, { name: 'x' }),
      await member.patch(`${narrative}?as=public`, { name: 'x' }),
      await member.delete(`${narrative}?as=public`),
      await member.post(`${narrative}/links/events?as=public`, { add: [] }),
      await member.put(`${narrative}/hidden?as=public`),
      await member.delete(`${narrative}/hidden?as=public`),
      await member.post('/api/v2/bulk?as=public', { items: [] }),
      await member.patch('/api/v2/world?as=public', {}),
    ])
      expectRefused(reply, 422, 'invalid_request', 'as')
    expect(await own.head()).toBe(head)
  })

  it('[RA-016] ends with its membership', async () => {
    await removeMember(system, own, member.membership ?? '')
    expectRefused(await as('narrative', member.membership), 422, 'invalid_request', 'as')
    expectRefused(await as(`narrative/${randomUUID()}`, member.membership), 422, 'invalid_request', 'as')
  })
})

describe('read-as', () => {
  it('[RA-013] tries a membership before a Character of the same id', async () => {
    const { headers, membership } = await addMember(system, own, 'contributor')
    const writer = api(system.gateway, headers)
    const mine = expectBody(await writer.post('/api/v2/event', { name: 'Mine' }), 201).id
    expectBody(await own.put(`/api/v2/character/${membership}`, { name: 'Twin' }), 201)
    const addressed = (await own.make('narrative', { characters: [membership] })).id
    const other = (await own.make('narrative')).id
    const listed = async (type: string) => expectBody(await as(type, membership), 200).data.map(({ id }: Body) => id)
    expect([await listed('event'), await listed('narrative')]).toEqual([[mine], [addressed, other]])
    await removeMember(system, own, membership)
    expect([await listed('event'), await listed('narrative')]).toEqual([[], [addressed]])
  })

  it('[RA-007] follows a change of role at once', async () => {
    const { membership } = await addMember(system, own, 'contributor')
    const { id } = await own.make('event')
    const statuses = []
    for (const role of ['contributor', 'guest', 'co_builder'] as const) {
      await setRole(system, own, membership, role)
      statuses.push((await as(`event/${id}`, membership)).status)
    }
    expect(statuses).toEqual([200, 404, 200])
  })

  it('[RA-010] as a Character counts nothing as its own creation', async () => {
    const guest = await newParty(system, own, 'guest')
    const mine = expectBody(await guest.post('/api/v2/event', { name: 'Mine' }), 201).id
    expect((await as(`event/${mine}`, guest.membership)).status).toBe(200)
    expectRefused(await as(`event/${mine}`, guest.character), 404, 'not_found')
    expect((await own.put(`/api/v2/character/${guest.character}/hidden`)).status).toBe(204)
    expect((await as(`character/${guest.character}`, guest.membership)).status).toBe(200)
    expectRefused(await as(`character/${guest.character}`, guest.character), 404, 'not_found')
  })

  it('[RA-014] is for the owner’s read key too', async () => {
    const reader = await newParty(system, own, 'read key of the owner')
    const { membership } = await addMember(system, own, 'guest')
    await own.make('event')
    expect(expectBody(await as('event', membership, reader), 200).data).toEqual([])
  })

  it('[RA-016] takes no membership of another world', async () => {
    const other = await newOwner(system)
    const { membership } = await addMember(system, other, 'contributor')
    expectRefused(await as('event', membership), 422, 'invalid_request', 'as')
  })
})
