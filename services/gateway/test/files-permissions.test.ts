import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat, type Member, mintReadKey, removeMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, askTicket, filesOf, fileTicket, send, untilListed } from './files-support'
import { accountApi } from './hostile-table'
import { newParty, type PartyName } from './permission-parties'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true, env: { gateway: { REQUEST_BUDGET: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const by = ({ headers }: { headers: Record<string, string> }) => api(system.gateway, headers)
const remove = (who: Api, file: string, id = place) => who.delete(`/api/v2/location/${id}/files/${file}`)
const added = async (who: Api, id = place): Promise<string> => (await addFile(who, 'location', id)).id
const listed = async () => (await filesOf(own, 'location', place)).map(({ id }: Body) => id)

async function expectRemoved(who: Api, file: string): Promise<void> {
  const { status, text } = await remove(who, file)
  expect([status, text]).toEqual([204, ''])
  expect(await listed()).not.toContain(file)
}

async function expectKept(who: Api, file: string): Promise<void> {
  expectRefusal(await remove(who, file), 403, 'permission_error', null)
  expect(await listed()).toContain(file)
}

/** Another write key of the same account. */
async function newKey({ token, pin }: Pick<Member, 'token' | 'pin'>): Promise<Api> {
  const keys = accountApi(system.gateway, token)
  const { key } = expectBody(await keys.post(`/api/v2/account/worlds/${own.world}/keys`), 201)
  return api(system.gateway, { 'API-Key': key, 'API-Pin': pin })
}

describe('adding', () => {
  it.each<[PartyName, number, string | null]>([
    ['owner', 201, null],
    ['co_builder', 201, null],
    ['co_builder seat', 201, null],
    ['contributor', 403, 'not_author'],
    ['contributor seat', 403, 'not_author'],
    ['guest', 403, 'not_author'],
    ['guest seat', 403, 'not_author'],
    ['read key of the owner', 403, 'permission_error'],
    ['read key of a contributor', 403, 'permission_error'],
    ['read key of a guest', 403, 'permission_error'],
    ['player', 403, 'permission_error'],
  ])('[FL-065][FL-066][FL-067][AU-006] to another’s element follows PATCH: a %s', async (name, status, code) => {
    const party = await newParty(system, own, name)
    const characters = party.character === null ? [] : [party.character]
    const { id } = await own.make('narrative', { characters })
    const replies = [await askTicket(party, 'narrative', id), await party.patch(`/api/v2/narrative/${id}`, {})]
    expect(replies.map((reply) => reply.body.error?.code ?? null)).toEqual([code, code])
    expect(replies[0]?.status).toBe(status)
    if (code === null) await addFile(party, 'narrative', id)
    else expectRefusal(replies[0] as never, status, code, null)
  })

  it.each(['contributor', 'contributor seat', 'guest', 'guest seat'] as const)(
    '[FL-065] to an element of its own is a %s’s too, hidden or not',
    async (name) => {
      const party = await newParty(system, own, name)
      const { id } = expectBody(await party.post('/api/v2/location', { name: 'Mine' }), 201)
      await addFile(party, 'location', id)
      expect((await own.put(`/api/v2/location/${id}/hidden`)).status).toBe(204)
      await addFile(party, 'location', id)
      expect(await filesOf(party, 'location', id)).toHaveLength(2)
    },
  )

  it.each(['contributor', 'guest'] as const)(
    '[FL-065][HD-041] to what a %s does not see is to nothing',
    async (name) => {
      const party = await newParty(system, own, name)
      expect((await own.put(`/api/v2/location/${place}/hidden`)).status).toBe(204)
      for (const id of [place, randomUUID()])
        expectRefusal(await askTicket(party, 'location', id), 404, 'not_found', null)
    },
  )

  it('[FL-031] takes the member’s own PIN, a seat’s its secret', async () => {
    const builder = await addMember(system, own, 'co_builder')
    const seat = await addSeat(system, own, { role: 'co_builder' })
    for (const { key, pin } of [builder, seat]) {
      for (const wrong of [own.pin, '']) {
        const reply = await askTicket(api(system.gateway, { 'API-Key': key, 'API-Pin': wrong }), 'location', place)
        expectRefusal(reply, 401, 'invalid_credentials', null)
      }
      await fileTicket(api(system.gateway, { 'API-Key': key, 'API-Pin': pin }), 'location', place)
    }
  })

  it('[FL-008] stands once its ticket is out, whatever becomes of who asked', async () => {
    const builder = await addMember(system, own, 'co_builder')
    const tickets: Body[] = []
    for (let n = 0; n < 2; n += 1) tickets.push(await fileTicket(by(builder), 'location', place))
    await setRole(system, own, builder.membership, 'guest')
    expect((await send(tickets[0], 'hello')).status).toBe(201)
    await removeMember(system, own, builder.membership)
    expect((await send(tickets[1], 'hello')).status).toBe(201)
    for (const { file_id } of tickets) {
      const { added_by } = await untilListed(own, 'location', place, file_id)
      expect(added_by).toEqual({ name: 'Member', membership: builder.membership, agent: false })
    }
  })
})

describe('removing', () => {
  it('[FL-068] is the owner’s of any file, whichever of its keys', async () => {
    const other = await newKey(own)
    for (const role of ['co_builder', 'contributor', 'guest'] as const) {
      const member = by(await addMember(system, own, role))
      const { id } = expectBody(await member.post('/api/v2/location', { name: 'Theirs' }), 201)
      for (const key of [own, other]) {
        const file = await added(member, id)
        expect((await remove(key, file, id)).status).toBe(204)
      }
      expect(await filesOf(own, 'location', id)).toEqual([])
    }
  })

  it('[FL-069] is that of who added it, with any key of the account', async () => {
    const builder = await addMember(system, own, 'co_builder')
    const [first, second, third] = [await added(by(builder)), await added(by(builder)), await added(by(builder))]
    await expectRemoved(by(builder), first)
    const other = await newKey(builder)
    await expectRemoved(other, second)
    // Sight and the account are all it takes, not the right to add.
    await setRole(system, own, builder.membership, 'contributor')
    expectRefusal(await askTicket(other, 'location', place), 403, 'not_author', null)
    await expectRemoved(other, third)
  })

  it('[FL-069] is that of the account when it comes back as another member', async () => {
    const builder = await addMember(system, own, 'co_builder')
    const file = await added(by(builder))
    await removeMember(system, own, builder.membership)
    const { bearer, path } = { bearer: accountApi(system.gateway, builder.token), path: '/api/v2/account' }
    const invites = accountApi(system.gateway, own.token)
    const body = { email: builder.account.email, role: 'contributor' }
    const { id } = expectBody(await invites.post(`${path}/worlds/${own.world}/invites`, body), 201)
    expect(expectBody(await bearer.post(`${path}/invites/${id}/accept`), 201).id).not.toBe(builder.membership)
    await expectRemoved(await newKey(builder), file)
  })

  it('[FL-070] is nobody else’s, a co-builder’s no more than others’', async () => {
    const [file, builder] = [await added(own), await addMember(system, own, 'co_builder')]
    const theirs = await added(by(builder))
    const others = ['co_builder', 'co_builder seat', 'contributor', 'contributor seat'] as const
    for (const name of others) {
      const party = await newParty(system, own, name)
      await expectKept(party, theirs)
      // A seat of the owner’s own answers for the owner’s account.
      if (!name.endsWith('seat')) await expectKept(party, file)
    }
    await expectKept(by(builder), file)
    expect((await listed()).sort()).toEqual([file, theirs].sort())
  })

  it('[FL-070] of what is not seen is of nothing', async () => {
    const guest = await newParty(system, own, 'guest')
    const file = await added(own)
    for (const id of [file, randomUUID()]) expectRefusal(await remove(guest, id), 404, 'not_found', null)
    const builder = await addMember(system, own, 'co_builder')
    const theirs = await added(by(builder))
    await setRole(system, own, builder.membership, 'guest')
    expectRefusal(await remove(by(builder), theirs), 404, 'not_found', null)
    expect((await listed()).sort()).toEqual([file, theirs].sort())
  })

  it('[FL-034][AU-006] takes a write key and its PIN', async () => {
    const file = await added(own)
    const read = api(system.gateway, { 'API-Key': await mintReadKey(system, own.world, own.token) })
    for (const id of [file, randomUUID(), 'nonsense'])
      expectRefusal(await remove(read, id), 403, 'permission_error', null)
    for (const pin of [{}, { 'API-Pin': '9999' }] as Record<string, string>[]) {
      const reply = await remove(api(system.gateway, { 'API-Key': own.key, ...pin }), file)
      expectRefusal(reply, 401, 'invalid_credentials', null)
    }
    expectRefusal(await remove(api(system.gateway), file), 401, 'invalid_credentials', null)
    expect(await listed()).toEqual([file])
  })
})

describe('an agent’s seat', () => {
  const seatOf = async (sponsor: Member, role: 'co_builder' | 'contributor' = 'co_builder') =>
    by(await addSeat(system, own, { role, link: { sponsor_email: sponsor.account.email } }))

  it('[FL-071] and its sponsor remove what the other added', async () => {
    const sponsor = await addMember(system, own, 'co_builder')
    const seat = await seatOf(sponsor)
    await expectRemoved(seat, await added(by(sponsor)))
    await expectRemoved(by(sponsor), await added(seat))
    await expectRemoved(await newKey(sponsor), await added(seat))
    await expectRemoved(seat, await added(seat))
  })

  it('[FL-069] removes its own also when its sponsor has left', async () => {
    const sponsor = await addMember(system, own, 'co_builder')
    const seat = await seatOf(sponsor)
    const file = await added(seat)
    await removeMember(system, own, sponsor.membership)
    await expectRemoved(seat, file)
  })

  it('[FL-071] removes what another seat of its sponsor added, and no other’s', async () => {
    const [sponsor, other] = [await addMember(system, own, 'co_builder'), await addMember(system, own, 'co_builder')]
    const [first, second, third] = [await seatOf(sponsor), await seatOf(sponsor, 'contributor'), await seatOf(other)]
    const file = await added(first)
    await expectKept(third, file)
    await expectKept(by(other), file)
    await expectRemoved(second, file)
    await expectKept(first, await added(third))
  })

  it('[FL-068][FL-071] that the owner sponsors has its account, but not the owner’s right over all files', async () => {
    const seat = by(await addSeat(system, own, { role: 'co_builder' }))
    const builder = await addMember(system, own, 'co_builder')
    await expectKept(seat, await added(by(builder)))
    await expectKept(by(builder), await added(seat))
    await expectRemoved(seat, await added(own))
    await expectRemoved(own, await added(seat))
  })

  it('[FL-071] made by a member answers to that member', async () => {
    const builder = await addMember(system, own, 'co_builder')
    const seats = accountApi(system.gateway, builder.token)
    const body = { name: 'Scribe', role: 'co_builder' }
    const { key, pin } = expectBody(await seats.post(`/api/v2/account/worlds/${own.world}/seats`, body), 201)
    const seat = api(system.gateway, { 'API-Key': key, 'API-Pin': pin })
    await expectRemoved(seat, await added(by(builder)))
    await expectKept(seat, await added(own))
  })
})
