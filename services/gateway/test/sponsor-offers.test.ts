import { randomUUID } from 'node:crypto'
import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount } from '@worlds/testkit/world'
import pg from 'pg'
import { accountApi } from './hostile-table'
import {
  accept,
  actAs,
  expectDone,
  expectRefused,
  newPerson,
  newShared,
  type Person,
  type Shared,
} from './members-support'
import { type Body, expectBody, timestampForm, uuidForm } from './support'

const root = '/api/v2/account'
let system: System
let shared: Shared

beforeAll(async () => {
  system = await startSystem({ gateways: 2, env: { gateway: { REQUEST_BUDGET: '100000' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
})

const offersTo = async (person: Person): Promise<Body[]> =>
  expectBody(await person.bearer.get(`${root}/invites`), 200).data.filter(({ kind }: Body) => kind === 'sponsor')
const seatFor = (email: string) => addSeat(system, shared, { link: { sponsor_email: email } })
const isOwnersSeat = async (membership: string): Promise<boolean> =>
  expectBody(await shared.bearer.get(`${shared.path}/members`), 200).data.find(({ id }: Body) => id === membership)
    .sponsored
const refuse = (person: Person, id: string) => person.bearer.post(`${root}/invites/${id}/refuse`)

describe('a sponsor who is no member', () => {
  it('[AG-023] is offered the sponsorship, and sponsors once it has accepted', async () => {
    const person = await newPerson(system)
    const seat = await seatFor(person.email.toUpperCase())
    expect(await isOwnersSeat(seat.membership)).toBe(true)
    expectRefused(await person.bearer.delete(`${shared.path}/seats/${seat.membership}`), 'not_found')
    const [offer, ...others] = await offersTo(person)
    expect([offer, others]).toEqual([
      {
        id: expect.stringMatching(uuidForm),
        kind: 'sponsor',
        world: { id: shared.world, name: expect.any(String) },
        created_at: expect.stringMatching(timestampForm),
      },
      [],
    ])
    expect(expectBody(await accept(person, offer?.id), 201)).toEqual(offer)
    expect(await isOwnersSeat(seat.membership)).toBe(false)
    expect(await offersTo(person)).toEqual([])
    expectRefused(await accept(person, offer?.id), 'not_found')
    expectBody(await actAs(system, seat).post('/api/v2/zone', { name: 'x' }), 201)
    expectDone(await person.bearer.delete(`${shared.path}/seats/${seat.membership}`))
  })

  it('[AG-023] has one offer for all links of the world that name it, open ones too', async () => {
    const person = await newPerson(system)
    const first = await seatFor(person.email)
    const link = { reader: 'agent', sponsor_email: person.email }
    const { code } = expectBody(await shared.bearer.post(`${shared.path}/links`, link), 201)
    const [offer, ...others] = await offersTo(person)
    expect(others).toEqual([])
    expectBody(await accept(person, offer?.id), 201)
    const { seat } = expectBody(await shared.post('/api/v2/join', { code, agent_name: 'Second' }), 201)
    expect([await isOwnersSeat(first.membership), await isOwnersSeat(seat.id)]).toEqual([false, false])
    const third = await seatFor(person.email)
    expect(await isOwnersSeat(third.membership)).toBe(true)
    expect(await offersTo(person)).toHaveLength(1)
  })

  it('[AG-023] may refuse: the owner goes on sponsoring', async () => {
    const person = await newPerson(system)
    const seat = await seatFor(person.email)
    const [offer] = await offersTo(person)
    const stranger = await newPerson(system)
    expectRefused(await refuse(stranger, offer?.id), 'not_found')
    expectRefused(await accept(stranger, offer?.id), 'not_found')
    expectDone(await refuse(person, offer?.id))
    expectRefused(await refuse(person, offer?.id), 'not_found')
    expectRefused(await accept(person, offer?.id), 'not_found')
    expect(await isOwnersSeat(seat.membership)).toBe(true)
  })

  it('[AG-023] needs no PIN, and no account when it is named', async () => {
    const { account, token } = await createAccount(system)
    const bare: Person = { ...account, bearer: accountApi(system.gateway, token) }
    await seatFor(bare.email)
    const [offer] = await offersTo(bare)
    expectBody(await accept(bare, offer?.id), 201)
  })

  it('[AG-023] is offered nothing any longer when the link is revoked or the seat removed', async () => {
    const person = await newPerson(system)
    const link = { reader: 'agent', sponsor_email: person.email }
    const { id } = expectBody(await shared.bearer.post(`${shared.path}/links`, link), 201)
    const seat = await seatFor(person.email)
    const [offer] = await offersTo(person)
    expectDone(await shared.bearer.delete(`${shared.path}/links/${id}`))
    expect(await offersTo(person)).toHaveLength(1)
    expectDone(await shared.bearer.delete(`${shared.path}/seats/${seat.membership}`))
    expect(await offersTo(person)).toEqual([])
    expectRefused(await accept(person, offer?.id), 'not_found')
  })

  it('[AG-023] accepts once, however often at once', async () => {
    const person = await newPerson(system)
    const seat = await seatFor(person.email)
    const [offer] = await offersTo(person)
    const replies = await Promise.all(Array.from({ length: 8 }, () => accept(person, offer?.id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(404)])
    expect(await isOwnersSeat(seat.membership)).toBe(false)
  })
})

describe('the reply to a link that names a sponsor', () => {
  it('[AG-023] is the same whether the email has an account, none, a member’s or the owner’s', async () => {
    const member = await addMember(system, shared, 'guest')
    const person = await newPerson(system)
    const emails = [person.email, member.account.email, shared.account.email, `${randomUUID()}@example.org`]
    const shapes = await Promise.all(
      emails.map(async (sponsor_email) => {
        const reply = await shared.bearer.post(`${shared.path}/links`, { reader: 'agent', sponsor_email })
        return Object.keys(expectBody(reply, 201))
      }),
    )
    expect(new Set(shapes.map(String)).size).toBe(1)
    expect(await offersTo({ ...member.account, bearer: actAs(system, member).bearer })).toEqual([])
    expect(await offersTo({ ...shared.account, bearer: shared.bearer })).toEqual([])
  })

  it('[AG-024] does not bind a member who has left before the link is used', async () => {
    const member = await addMember(system, shared, 'contributor')
    const link = { reader: 'agent', sponsor_email: member.account.email }
    const { code } = expectBody(await shared.bearer.post(`${shared.path}/links`, link), 201)
    expectDone(await actAs(system, member).bearer.post(`${shared.path}/leave`))
    const { seat } = expectBody(await shared.post('/api/v2/join', { code, agent_name: 'Late' }), 201)
    expect(await isOwnersSeat(seat.id)).toBe(true)
  })
})

it('invites and offers of a deleted world are deleted with it', async () => {
  const person = await newPerson(system)
  await seatFor(person.email)
  expectBody(await shared.bearer.post(`${shared.path}/invites`, { email: person.email, role: 'guest' }), 201)
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  try {
    const count = async () => {
      const text = `select (select count(*) from membership.invites where world_id = $1)::int as invites,
        (select count(*) from membership.sponsor_offers where world_id = $1)::int as offers`
      return (await client.query(text, [shared.world])).rows[0]
    }
    expect(await count()).toEqual({ invites: 1, offers: 1 })
    expectDone(await shared.bearer.delete(shared.path))
    expect(await count()).toEqual({ invites: 0, offers: 0 })
    expect(expectBody(await person.bearer.get(`${root}/invites`), 200).data).toEqual([])
  } finally {
    await client.end()
  }
})
