/** Element dies around the commit that lets a member in, or changes one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { accept, charactersOf, invite, newPerson, newShared } from './members-support'
import { expectBody } from './support'

const points = ['commit.before', 'commit.after'] as const

describe('element that dies', () => {
  const dir = mkdtempSync(join(tmpdir(), 'worlds-crashes-'))
  let system: System
  beforeAll(async () => {
    system = await startSystem({
      env: {
        element: { FAILPOINTS: points.map((name) => `${name}=exit@${join(dir, name)}`).join(',') },
        membership: { OUTBOX_EVERY_MS: '100', OUTBOX_LEASE_MS: '1000' },
      },
    })
  })
  afterAll(async () => {
    await system.stop()
    rmSync(dir, { recursive: true })
  })

  /** Sends what makes element die at a point, and starts it again. */
  async function dying(point: (typeof points)[number], send: () => Promise<{ status: number }>): Promise<number> {
    writeFileSync(join(dir, point), '')
    const { status } = await send()
    await system.processes.restart('element')
    return status
  }

  it.each(points)('[AC-004][AC-007] at %s of an accept: one member and one Character', async (point) => {
    const shared = await newShared(system)
    const person = await newPerson(system)
    const id = await invite(shared, person.email, 'guest')
    expect([201, 503]).toContain(await dying(point, () => accept(person, id)))
    await until(async () => [201, 409].includes((await accept(person, id)).status))
    const [, row, ...more] = await shared.roster()
    expect([row?.status, more]).toEqual(['active', []])
    expect(await charactersOf(shared, 'Guest')).toEqual([row?.character])
  })

  it.each(points)('[AG-001][AG-002] at %s of a join: one seat and one Character', async (point) => {
    const shared = await newShared(system)
    const { code } = expectBody(await shared.bearer.post(`${shared.path}/links`, { reader: 'agent' }), 201)
    const send = () => api(system.gateway).post('/api/v2/join', { code, agent_name: 'Scribe' })
    expect([201, 503]).toContain(await dying(point, send))
    await until(async () => (await shared.roster()).length === 2)
    expect((await send()).status).toBe(404)
    const [, row] = await shared.roster()
    expect(await charactersOf(shared, 'Agent')).toEqual([row?.character])
  })

  it.each(points)('[AC-015][CF-047] at %s of a change of role: it is made whole, or not at all', async (point) => {
    const shared = await newShared(system)
    const member = await addMember(system, shared, 'contributor')
    const own = api(system.gateway, member.headers)
    const { cursor } = (await own.get('/api/v2/changes?head=true')).body
    const change = () => shared.bearer.patch(`${shared.path}/members/${member.membership}`, { role: 'guest' })
    expect([200, 503]).toContain(await dying(point, change))
    const { role } = (await own.get('/api/v2/me')).body
    const { status, body } = await own.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)
    expect([role, status, body.reason]).toEqual(
      role === 'guest' ? ['guest', 409, 'role'] : ['contributor', 200, undefined],
    )
  })
})
