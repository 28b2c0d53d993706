import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat, type Member, mintReadKey } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createAccount, createWorld } from '@worlds/testkit/world'
import pg from 'pg'
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
import { type Body, expectBody } from './support'

let system: System
let shared: Shared
let member: Member
let by: Api & { bearer: Api }

beforeAll(async () => {
  system = await startSystem({
    env: { gateway: { REQUEST_BUDGET: '100000', UNKNOWN_CREDENTIALS_PER_MINUTE: '100000' } },
  })
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
  member = await addMember(system, shared, 'contributor')
  by = actAs(system, member)
})

const remove = (account: Api) => account.delete(root)

describe('a deleted account', () => {
  it('[AC-021] is gone, with its tokens and its keys', async () => {
    const second = expectBody(await by.bearer.post(`${root}/tokens`), 201).token
    const reader = await mintReadKey(system, shared.world, member.token)
    expectDone(await remove(by.bearer))
    for (const token of [member.token, second]) {
      expectRefused(await api(system.gateway, { Authorization: `Bearer ${token}` }).get(root), 'invalid_credentials')
    }
    for (const key of [member.key, reader]) {
      const keyed = api(system.gateway, { 'API-Key': key, 'API-Pin': member.pin })
      expectRefused(await keyed.get('/api/v2/me'), 'invalid_credentials')
      expectRefused(await keyed.post('/api/v2/zone', { name: 'x' }), 'invalid_credentials')
    }
    expectRefused(await remove(by.bearer), 'invalid_credentials')
  })

  it('[AC-021] leaves what it made, as nobody made it', async () => {
    const made = expectBody(await by.post('/api/v2/zone', { name: 'Marsh', description: 'Wet' }), 201)
    const kept = await shared.make('zone')
    const others = await addMember(system, shared, 'contributor')
    const theirs = expectBody(await actAs(system, others).post('/api/v2/zone', { name: 'Fen' }), 201)
    expectDone(await remove(by.bearer))
    expect(await shared.read('zone', made.id)).toMatchObject({ name: 'Marsh', description: 'Wet', created_by: null })
    const { data } = expectBody(await shared.get('/api/v2/zone'), 200)
    const makers = new Map(data.map(({ id, created_by }: Body) => [id, created_by]))
    expect([made, kept, theirs].map(({ id }) => makers.get(id))).toEqual([null, null, others.membership])
    expect(await shared.row(member.membership)).toMatchObject({ status: 'removed' })
  })

  it('[AC-021] is named by nothing that it made before it left', async () => {
    const made = expectBody(await by.post('/api/v2/zone', { name: 'Marsh' }), 201)
    expectDone(await by.bearer.post(`${shared.path}/leave`))
    expect((await shared.read('zone', made.id)).created_by).toBe(member.membership)
    expectDone(await remove(by.bearer))
    expect((await shared.read('zone', made.id)).created_by).toBeNull()
  })

  it('[AC-021] takes its own worlds along, and who was in them', async () => {
    const world = await createWorld(system, member.token)
    const mine = { world: world.id, token: member.token }
    const guest = await addMember(system, mine, 'guest')
    const id = expectBody(
      await by.bearer.post(`${root}/worlds/${world.id}/invites`, { email: shared.account.email, role: 'guest' }),
      201,
    )
    const { code } = expectBody(await by.bearer.post(`${root}/worlds/${world.id}/links`, { reader: 'agent' }), 201)
    expectDone(await remove(by.bearer))
    for (const key of [world.key, guest.key]) {
      expectRefused(await api(system.gateway, { 'API-Key': key }).get('/api/v2/me'), 'invalid_credentials')
    }
    expect(expectBody(await actAs(system, guest).bearer.get(`${root}/worlds`), 200).data).toEqual([])
    expect(expectBody(await shared.bearer.get(`${root}/invites`), 200).data).toEqual([])
    expectRefused(await shared.bearer.post(`${root}/invites/${id.id}/accept`), 'not_found')
    expectRefused(await api(system.gateway).post('/api/v2/join', { code, agent_name: 'x' }), 'not_found')
  })

  it('[AC-021][AG-024] leaves its seats, which the owner sponsors then', async () => {
    const seat = await addSeat(system, shared, { link: { sponsor_email: member.account.email } })
    const later = expectBody(
      await shared.bearer.post(`${shared.path}/links`, { reader: 'agent', sponsor_email: member.account.email }),
      201,
    )
    const made = expectBody(await actAs(system, seat).post('/api/v2/zone', { name: 'x' }), 201)
    expectDone(await remove(by.bearer))
    expectBody(await actAs(system, seat).post('/api/v2/zone', { name: 'y' }), 201)
    expect((await shared.read('zone', made.id)).created_by).toBe(seat.membership)
    expectBody(await api(system.gateway).post('/api/v2/join', { code: later.code, agent_name: 'x' }), 201)
    const { data } = expectBody(await shared.bearer.get(`${shared.path}/seats`), 200)
    expect(data.map(({ sponsor }: Body) => sponsor)).toEqual([true, true])
  })

  it('[AC-021] frees its emails', async () => {
    expectDone(await remove(by.bearer))
    const again = await createAccount(system, { email: member.account.email })
    expect(again.account.email).toBe(member.account.email)
  })

  it('[AC-021] leaves nothing behind that tells whose it was', async () => {
    expectBody(await by.post('/api/v2/tokens/consume', { amount: 1 }), 200)
    expectDone(await remove(by.bearer))
    const client = new pg.Client({ connectionString: system.databaseUrl })
    await client.connect()
    const count = async (table: string, column = 'account_id') =>
      (await client.query(`select from membership.${table} where ${column} = $1`, [member.account.id])).rowCount
    try {
      for (const table of ['tokens', 'emails', 'watched', 'allowances', 'keys']) expect(await count(table)).toBe(0)
      expect(await count('join_links', 'sponsor_account')).toBe(0)
      const { rows } = await client.query('select * from membership.accounts where id = $1', [member.account.id])
      expect(rows[0]).toMatchObject({ name: '', pin_digest: null, password_hash: null })
      await until(async () => (await client.query('select from membership.outbox')).rowCount === 0)
    } finally {
      await client.end()
    }
  })

  it('[AC-021] cannot come in by what it had begun', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const person = await newPerson(system)
      const id = await invite(shared, person.email, 'guest')
      const [joined, removed] = await Promise.all([accept(person, id), remove(person.bearer)])
      expect(removed.status).toBe(204)
      expect([201, 401, 404]).toContain(joined.status)
    }
    const active = (await shared.roster()).filter(({ status }) => status === 'active')
    expect(active.map(({ id }) => id)).toEqual([null, member.membership])
  })

  it('[AC-029] is deleted by its token alone', async () => {
    expectRefused(await api(system.gateway, member.headers).delete(root), 'invalid_credentials')
    expect((await by.bearer.get(root)).status).toBe(200)
  })
})
