import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '@worlds/testkit/api'
import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createWorld } from '@worlds/testkit/world'
import pg from 'pg'
import {
  accept,
  actAs,
  charactersOf,
  expectDone,
  expectRefused,
  invite,
  newPerson,
  newShared,
  root,
  type Shared,
} from './members-support'
import { type Body, expectBody } from './support'

const points = [
  'invite-taken',
  'code-spent',
  'seat-begun',
  'member-added',
  'removal-noted',
  'member-removed',
  'account-deleted',
] as const

describe('membership that dies on the way', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-crashes-'))
  let system: System
  let shared: Shared
  beforeAll(async () => {
    system = await startSystem({
      env: {
        gateway: { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000' },
        membership: {
          FAILPOINTS: points.map((name) => `membership.${name}=exit@${join(dir, name)}`).join(','),
          OUTBOX_EVERY_MS: '100',
          OUTBOX_LEASE_MS: '1000',
        },
      },
    })
  })
  afterAll(async () => {
    await system.stop()
    rmSync(dir, { recursive: true })
  })
  beforeEach(async () => {
    shared = await newShared(system)
  })

  /** Sends what makes membership die at a point, and starts it again. */
  async function dying(point: (typeof points)[number], send: () => Promise<{ status: number }>): Promise<void> {
    writeFileSync(join(dir, point), '')
    const { status } = await send()
    expect([500, 503]).toContain(status)
    await system.processes.restart('membership')
  }

  const settled = () =>
    until(async () => {
      const client = new pg.Client({ connectionString: system.databaseUrl })
      await client.connect()
      const { rowCount } = await client.query('select from membership.outbox').finally(() => client.end())
      return rowCount === 0
    })
  const active = async () => (await shared.roster()).filter(({ status }) => status === 'active').slice(1)

  it.each(['invite-taken', 'member-added'] as const)(
    '[AC-004] at %s of an accept ends in one member and one Character, for the next try too',
    async (point) => {
      const person = await newPerson(system)
      const id = await invite(shared, person.email, 'guest')
      await dying(point, () => accept(person, id))
      const made = await accept(person, id)
      if (made.status !== 201) expectRefused(made, 'already_member')
      await settled()
      const [row, ...more] = await active()
      expect(more).toEqual([])
      if (made.status === 201) expect(made.body).toMatchObject({ id: row.id, character: row.character })
      expect(await charactersOf(shared, 'Guest')).toEqual([row.character])
      expectRefused(await accept(person, id), 'already_member')
      expectBody(await person.bearer.post(`${shared.path}/keys`), 201)
    },
  )

  it.each(['invite-taken', 'member-added'] as const)(
    '[AC-004] at %s of an accept is finished without another try',
    async (point) => {
      const person = await newPerson(system)
      await dying(point, async () => accept(person, await invite(shared, person.email, 'guest')))
      await settled()
      expect(await active()).toHaveLength(1)
      expect(await charactersOf(shared, 'Guest')).toHaveLength(1)
      expect(expectBody(await person.bearer.get(`${root}/worlds`), 200).data).toHaveLength(1)
      expect(expectBody(await person.bearer.get(`${root}/invites`), 200).data).toEqual([])
    },
  )

  it('[AC-039] on the way to a Character that cannot be played leaves the invite', async () => {
    const { id: character } = await shared.make('character')
    const person = await newPerson(system)
    const id = await invite(shared, person.email, 'contributor')
    expectDone(await shared.put(`/api/v2/character/${character}/hidden`))
    await dying('invite-taken', () => accept(person, id, { roster_character: character }))
    await settled()
    expect(await active()).toEqual([])
    expectBody(await accept(person, id), 201)
  })

  it.each(['code-spent', 'member-added'] as const)(
    '[AG-009] at %s of a join ends in one member and one Character, and the code is spent',
    async (point) => {
      const { code } = expectBody(await shared.bearer.post(`${shared.path}/links`, { reader: 'agent' }), 201)
      const send = () => api(system.gateway).post('/api/v2/join', { code, agent_name: 'Scribe' })
      await dying(point, send)
      expectRefused(await send(), 'not_found')
      await settled()
      const rows = await active()
      expect(rows.map(({ kind }: Body) => kind)).toEqual(['agent'])
      expect(await charactersOf(shared, 'Agent')).toEqual([rows[0].character])
    },
  )

  it('[AG-021] at seat-begun of a seat ends in one seat', async () => {
    await dying('seat-begun', () => shared.bearer.post(`${shared.path}/seats`, { name: 'Scribe' }))
    await settled()
    expect(await active()).toHaveLength(1)
    expect(expectBody(await shared.bearer.get(`${shared.path}/seats`), 200).data).toHaveLength(1)
  })

  it.each(['removal-noted', 'member-removed'] as const)(
    '[AC-008][AC-009] at %s of a removal removes',
    async (point) => {
      const member = await addMember(system, shared, 'contributor')
      await dying(point, () => shared.bearer.delete(`${shared.path}/members/${member.membership}`))
      await settled()
      expect(await shared.row(member.membership)).toMatchObject({ status: 'removed' })
      expectRefused(await actAs(system, member).get('/api/v2/me'), 'invalid_credentials')
      expectDone(await shared.bearer.delete(`${shared.path}/members/${member.membership}`))
    },
  )

  it('[AC-004][AC-008][AG-009] finishes what element was away for', async () => {
    const gone = await addMember(system, shared, 'contributor')
    const person = await newPerson(system)
    const id = await invite(shared, person.email, 'guest')
    await system.processes.kill('element')
    for (const reply of await Promise.all([
      accept(person, id),
      shared.bearer.delete(`${shared.path}/members/${gone.membership}`),
    ])) {
      expectRefused(reply, 'server_busy')
    }
    await system.processes.restart('element')
    await settled()
    const [row, ...more] = await active()
    expect(more).toEqual([])
    expect(await charactersOf(shared, 'Guest')).toEqual([row.character])
    expectRefused(await accept(person, id), 'already_member')
    expectRefused(await actAs(system, gone).get('/api/v2/me'), 'invalid_credentials')
  })

  it.each(['account-deleted', 'member-removed'] as const)('[AC-021] at %s of an account deletes it', async (point) => {
    const member = await addMember(system, shared, 'contributor')
    const by = actAs(system, member)
    const world = await createWorld(system, member.token)
    await addSeat(system, shared, { link: { sponsor_email: member.account.email } })
    const made = expectBody(await by.post('/api/v2/zone', { name: 'x' }), 201)
    await dying(point, () => by.bearer.delete(root))
    expectRefused(await by.bearer.get(root), 'invalid_credentials')
    await settled()
    expect((await shared.read('zone', made.id)).created_by).toBeNull()
    expectRefused(await by.get('/api/v2/me'), 'invalid_credentials')
    expectRefused(await api(system.gateway, { 'API-Key': world.key }).get('/api/v2/me'), 'invalid_credentials')
    expect((await active()).map(({ kind }: Body) => kind)).toEqual(['agent'])
  })
})

/** Membership lingers at every point while its relay, whose leases are short, takes the same errand up. */
describe('membership that is overtaken by its relay', () => {
  let system: System
  let shared: Shared
  beforeAll(async () => {
    const FAILPOINTS = ['invite-taken', 'code-spent', 'removal-noted', 'account-deleted']
      .map((name) => `membership.${name}=wait:2000`)
      .join(',')
    system = await startSystem({ env: { membership: { FAILPOINTS, OUTBOX_EVERY_MS: '50', OUTBOX_LEASE_MS: '200' } } })
  })
  afterAll(() => system.stop())
  beforeEach(async () => {
    shared = await newShared(system)
  })

  it('[AC-004][AC-008] lets one member in, and out', async () => {
    const person = await newPerson(system)
    const made = expectBody(await accept(person, await invite(shared, person.email, 'guest')), 201)
    expect(await charactersOf(shared, 'Guest')).toEqual([made.character])
    expectDone(await shared.bearer.delete(`${shared.path}/members/${made.id}`))
    expect((await shared.roster()).map(({ id, status }) => [id, status])).toEqual([
      [null, 'active'],
      [made.id, 'removed'],
    ])
    expectDone(await person.bearer.delete(root))
  })

  it('[AG-009] lets one agent in', async () => {
    const seat = await addSeat(system, shared)
    expect(await charactersOf(shared, 'Agent')).toEqual([seat.character])
    expectBody(await actAs(system, seat).post('/api/v2/zone', { name: 'x' }), 201)
  })

  it('[AC-039] refuses alike', async () => {
    const { id: character } = await shared.make('character')
    expectDone(await shared.put(`/api/v2/character/${character}/hidden`))
    const person = await newPerson(system)
    const id = await invite(shared, person.email, 'contributor')
    expectRefused(await accept(person, id, { roster_character: character }), 'invalid_link', 'roster_character')
    expect(expectBody(await person.bearer.get(`${root}/invites`), 200).data).toHaveLength(1)
    expect(await shared.roster()).toHaveLength(1)
  })

  it('[AC-039] ends in one active member when only the later of the two tries could go on', async () => {
    const { id: character } = await shared.make('character')
    expectDone(await shared.put(`/api/v2/character/${character}/hidden`))
    const person = await newPerson(system)
    const id = await invite(shared, person.email, 'contributor')
    const accepting = accept(person, id, { roster_character: character })
    const isUndone = (line: string) => /errand-done.*add-member/.test(line) && line.includes(shared.world)
    await until(() => system.processes.logs('membership').some(isUndone))
    expectDone(await shared.delete(`/api/v2/character/${character}/hidden`))
    const made = expectBody(await accepting, 201)
    const active = (await shared.roster()).filter(({ status }) => status === 'active')
    expect(active.map(({ id }) => id)).toEqual([null, made.id])
    expectRefused(await accept(person, id), 'already_member')
  })
})
