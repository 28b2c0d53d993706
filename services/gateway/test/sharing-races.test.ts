/** What happens at once between who shares and who is shared with. */
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { addMember, addSeat, type Member, mintReadKey, removeMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount, newWorld, type World } from '@worlds/testkit/world'
import { Follower } from './model/follower'

const rounds = Array.from({ length: 12 }, (_, round) => round)

describe.each([1, 2])('with %i element processes', (elements) => {
  let system: System
  beforeAll(async () => {
    // Each gateway calls one element process: the owner's writes and a member's go different ways.
    system = await startSystem({
      elements,
      gateways: elements,
      pinGateways: true,
      env: { gateway: { REQUEST_BUDGET: '1000000000', UNKNOWN_CREDENTIALS_PER_MINUTE: '1000000' } },
    })
  })
  afterAll(() => system.stop())

  interface Shared {
    readonly world: World
    readonly owner: Api
    readonly member: Member
    readonly own: Api
  }

  async function share(role: 'contributor' | 'guest'): Promise<Shared> {
    const world = await newWorld(system)
    const member = await addMember(system, world, role)
    const owner = api(system.gateways[0] as string, world.headers)
    return { world, owner, member, own: api(system.gateways.at(-1) as string, member.headers) }
  }

  async function made(by: Api, name: string, more: object = {}): Promise<string> {
    const { status, body, text } = await by.post('/api/v2/character', { name, ...more })
    expect([status, status === 201 ? '' : text]).toEqual([201, ''])
    return body.id
  }

  async function expectFollowed(follower: Follower, own: Api): Promise<void> {
    expect(await follower.poll(1000, 100)).toBe(true)
    const fresh = new Follower(own)
    expect(await fresh.poll(1000, 100)).toBe(true)
    expect(Object.fromEntries(follower.copy)).toEqual(Object.fromEntries(fresh.copy))
  }

  it('[HD-050][CF-021] a link is written, or refused, while its target is hidden from the writer', async () => {
    const { owner, own } = await share('contributor')
    const carrier = await made(own, 'carrier')
    const follower = new Follower(own)
    const path = `/api/v2/character/${carrier}`
    for (const round of rounds) {
      const target = await made(owner, `target ${round}`)
      await follower.poll(1000, 10)
      const write =
        round % 2 === 0 ? own.post(`${path}/links/friends`, { add: [target] }) : own.patch(path, { friends: [target] })
      const [linked, hidden] = await Promise.all([write, owner.put(`/api/v2/character/${target}/hidden`)])
      expect(hidden.status).toBe(204)
      expect([200, 400]).toContain(linked.status)
      if (linked.status === 400) expect(linked.body.error).toMatchObject({ code: 'invalid_link', param: 'friends' })
      const stored = (await owner.get(path)).body.friends
      expect(stored.includes(target)).toBe(linked.status === 200)
      expect((await own.get(path)).body.friends).toEqual([])
      await expectFollowed(follower, own)
    }
  })

  it.each(['contributor', 'guest'] as const)(
    '[CF-044] an unhide goes on while a %s walks: it starts anew, or has it all',
    async (role) => {
      const { owner, own, member } = await share(role)
      const names = member.character === null ? {} : { characters: [member.character] }
      const ids = await Promise.all(
        Array.from(
          { length: 12 },
          async (_, n) => (await owner.post('/api/v2/event', { name: `e${n}`, ...names })).body.id,
        ),
      )
      for (const round of rounds) {
        const id = ids[round]
        expect((await owner.put(`/api/v2/event/${id}/hidden`)).status).toBe(204)
        const follower = new Follower(own)
        await follower.poll(1, 4)
        const [walked, shown] = await Promise.all([follower.poll(1, 40), owner.delete(`/api/v2/event/${id}/hidden`)])
        expect([typeof walked, shown.status]).toEqual(['boolean', 204])
        await expectFollowed(follower, own)
        expect(follower.copy.has(id)).toBe(true)
      }
    },
  )

  it('[CF-047] a role changes while its member walks: what the walk names is true', async () => {
    const { world, owner, own, member } = await share('contributor')
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => made(owner, `c${n}`)))
    for (const round of rounds) {
      const follower = new Follower(own)
      await follower.poll(2, 2)
      const role = round % 2 === 0 ? 'guest' : 'contributor'
      await Promise.all([follower.poll(2, 20), setRole(system, world, member.membership, role)])
      expect(await follower.poll(1000, 20)).toBe(true)
      const seen = ids.filter((id) => follower.copy.has(id) && !follower.loose.has(id))
      expect(seen).toEqual(role === 'guest' ? [] : ids)
      expect((await own.get('/api/v2/me')).body.role).toBe(role)
    }
  })

  it('[AC-008][AC-009] a member is removed while it writes: what was answered stands, and nothing comes after', async () => {
    const { world, owner, own, member } = await share('contributor')
    let isRemoved = false
    const writing = Array.from({ length: 8 }, async () => {
      const stand: string[] = []
      for (let n = 0; n < 200; n += 1) {
        const begunAfter = isRemoved
        const { status, body } = await own.post('/api/v2/character', { name: 'mine' })
        if (status !== 201) {
          expect([status, body.error.code]).toEqual([401, 'invalid_credentials'])
          return stand
        }
        expect(begunAfter).toBe(false)
        stand.push(body.id)
      }
      throw new Error('the member was never removed')
    })
    await made(own, 'first')
    await removeMember(system, world, member.membership)
    isRemoved = true
    const stand = (await Promise.all(writing)).flat()
    const { body } = await owner.get('/api/v2/character?limit=1000')
    const theirs = body.data.filter(({ name }: { name: string }) => name === 'mine').map(({ id }: { id: string }) => id)
    expect(theirs.sort()).toEqual(stand.sort())
    for (const path of ['/me', '/members', '/changes', '/character', '/world']) {
      expect((await own.get(`/api/v2${path}`)).status).toBe(401)
    }
  })

  it('[CF-044] a member that comes again is another: its old cursor starts anew, its old elements are not its own', async () => {
    const { world, owner, own, member } = await share('contributor')
    const mine = await made(own, 'mine')
    const { cursor } = (await own.get('/api/v2/changes?head=true')).body
    await removeMember(system, world, member.membership)
    const account = api(system.gateway, { Authorization: `Bearer ${member.token}` })
    const owners = api(system.gateway, { Authorization: `Bearer ${world.token}` })
    const { email } = (await account.get('/api/v2/account')).body.emails[0]
    const invite = await owners.post(`/api/v2/account/worlds/${world.world}/invites`, { email, role: 'contributor' })
    const accepted = await account.post(`/api/v2/account/invites/${invite.body.id}/accept`)
    expect(accepted.status).toBe(201)
    expect(accepted.body.id).not.toBe(member.membership)
    const again = api(system.gateway, { 'API-Key': await mintReadKey(system, world.world, member.token) })
    const refused = await again.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)
    expect([refused.status, refused.body.reason]).toEqual([409, 'view'])
    expect((await owner.put(`/api/v2/character/${mine}/hidden`)).status).toBe(204)
    expect((await again.get(`/api/v2/character/${mine}`)).status).toBe(404)
    const roster = (await owner.get('/api/v2/members')).body.data
    expect(roster.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [null, 'active'],
      [accepted.body.id, 'active'],
      [member.membership, 'removed'],
    ])
  })

  /** The same request through every gateway, twice. */
  const everywhere = (send: (gateway: string) => Promise<ApiReply>) =>
    Promise.all([...system.gateways, ...system.gateways].map(send))

  it('[AC-005][AC-025] an invite is accepted everywhere at once: one member, one Character', async () => {
    const { own, bearer, path } = await newOwned()
    const { account, token } = await createAccount(system, { pin: '4321' })
    const { body: invite } = await bearer.post(`${path}/invites`, { email: account.email, role: 'guest' })
    const accept = `/api/v2/account/invites/${invite.id}/accept`
    const replies = await everywhere((gateway) => api(gateway, { Authorization: `Bearer ${token}` }).post(accept))
    expect(new Set(replies.map(({ status }) => status))).toEqual(
      replies.some(({ status }) => status === 409) ? new Set([201, 409]) : new Set([201]),
    )
    await expectOneWith(own, 'Guest')
  })

  it('[AG-009] a code is sent everywhere at once: one seat, one Character', async () => {
    const { own, bearer, path } = await newOwned()
    const { code } = (await bearer.post(`${path}/links`, { reader: 'agent' })).body
    const replies = await everywhere((gateway) => api(gateway).post('/api/v2/join', { code, agent_name: 'Scribe' }))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status } of replies) expect([201, 404]).toContain(status)
    await expectOneWith(own, 'Agent')
  })

  it('[AC-015][AC-035][CF-049] a seat’s role and its Character change at once: both hold, and the role is told', async () => {
    const { own, bearer, path, world } = await newOwned()
    const seat = await addSeat(system, world)
    const as = api(system.gateways.at(-1) as string, seat.headers)
    for (const round of rounds) {
      const character = await made(own, `mask ${round}`)
      const role = round % 2 === 0 ? 'guest' : 'contributor'
      const { cursor } = (await as.get('/api/v2/changes?head=true')).body
      const member = `${path}/members/${seat.membership}`
      const sent = [{ role }, { character }].map((change) => bearer.patch(member, change))
      expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200])
      const me = (await as.get('/api/v2/me')).body
      // Who becomes a guest keeps no Character of another's making that it had before.
      expect([me.role, [character, null].includes(me.character)]).toEqual([role, true])
      const { status, body } = await as.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)
      expect([status, body.reason]).toEqual([409, 'role'])
    }
  })

  async function newOwned() {
    const world = await newWorld(system)
    const own = api(system.gateways[0] as string, world.headers)
    const bearer = api(system.gateways[0] as string, { Authorization: `Bearer ${world.token}` })
    return { world, own, bearer, path: `/api/v2/account/worlds/${world.world}` }
  }

  async function expectOneWith(own: Api, supertype: string): Promise<void> {
    const [, row, ...more] = (await own.get('/api/v2/members')).body.data
    const characters = (await own.get(`/api/v2/character?supertype=${supertype}`)).body.data
    expect([row.status, more, characters.map(({ id }: { id: string }) => id)]).toEqual(['active', [], [row.character]])
  }
})
