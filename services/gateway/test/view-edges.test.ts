/** Where a view could betray what it hides, or outlive itself, by a hair. */
import { randomUUID } from 'node:crypto'
import type { Api } from '@worlds/testkit/api'
import { addMember, type Member } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { actAs, expectRefused, newShared, type Shared } from './members-support'
import { expectBody } from './support'

let system: System
let database: pg.Client
beforeAll(async () => {
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '1000000000' } } })
  database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await system.stop()
})

async function share(
  role: 'co_builder' | 'contributor' | 'guest',
): Promise<{ own: Shared; member: Member; as: Api & { bearer: Api } }> {
  const own = await newShared(system)
  const member = await addMember(system, own, role)
  return { own, member, as: actAs(system, member) }
}

/** Runs `work` while a row is locked, and lets it go on once `meanwhile` is done. */
async function whileLocked(sql: string, id: string, work: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
  await database.query('begin')
  try {
    await database.query(sql, [id])
    const waiting = work()
    await until(async () => {
      const { rows } = await database.query(
        `select from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    })
    await meanwhile()
    return waiting
  } finally {
    await database.query('commit')
  }
}

describe('a pin', () => {
  it.each(['nothing', 'a hidden location', 'a hidden character'])(
    '[HD-042][HD-057] that links to %s takes the same writes of who does not see it',
    async (linked) => {
      const { own, as } = await share('contributor')
      const { id } = expectBody(await as.post('/api/v2/pin', { name: 'p' }), 201)
      const [place, person] = [await own.make('location'), await own.make('character')]
      const target =
        linked === 'nothing' ? null : await own.make(linked === 'a hidden location' ? 'location' : 'character')
      const stored = { element_type: target?.type ?? '', element_id: target?.id ?? null }
      if (target !== null) {
        expectBody(await own.patch(`/api/v2/pin/${id}`, stored), 200)
        expectBody(await own.put(`/api/v2/${target.type}/${target.id}/hidden`), 204)
      }
      const path = `/api/v2/pin/${id}`
      const none = { element_type: '', element_id: null }
      for (const body of [
        {},
        { element_type: 'location' },
        { element_type: 'character' },
        { element_id: null },
        none,
      ]) {
        expect(expectBody(await as.patch(path, body), 200)).toMatchObject(none)
        expect(expectBody(await own.get(path), 200)).toMatchObject(stored)
      }
      for (const { id: element_id } of [place, person])
        expectRefused(await as.patch(path, { element_id }), 'invalid_request', 'element_id')
      expect(expectBody(await own.get(path), 200)).toMatchObject(stored)
      const seen = { element_type: 'location', element_id: place.id }
      expect(expectBody(await as.patch(path, seen), 200)).toMatchObject(seen)
      expect(expectBody(await own.get(path), 200)).toMatchObject(seen)
    },
  )
})

it('[BK-004][RL-030] of two items with one id a member’s last one wins, as the owner’s does', async () => {
  const { own, as } = await share('contributor')
  for (const by of [own, as]) {
    const [id, friend] = [randomUUID(), randomUUID()]
    const element = { id, name: 'twice' }
    const items = [
      { type: 'character', element: { ...element, friends: [friend] } },
      { type: 'character', element: { ...element, friends: [] } },
      { type: 'character', element: { id: friend, name: 'later' } },
    ]
    expect(expectBody(await by.post('/api/v2/bulk', { items }), 200).errors).toBe(false)
    expect(expectBody(await own.get(`/api/v2/character/${id}`), 200).friends).toEqual([])
  }
})

it('[HD-040][RL-028] a page is as long as what it shows, however many links are left out of it', async () => {
  const { own, as, member } = await share('guest')
  const ids: string[] = []
  for (let chunk = 0; chunk < 8; chunk += 1) {
    const some = Array.from({ length: 1000 }, (_, n) => ({ name: `c${n}` }))
    ids.push(...(await own.seed('character', some)))
  }
  // Plans made for empty tables last until somebody counts the rows; a minute later autovacuum would.
  await database.query('analyze')
  for (let n = 0; n < 30; n += 1) await own.make('narrative', { characters: [member.character, ...ids] })
  const whole = expectBody(await own.get('/api/v2/narrative?limit=100'), 200)
  expect([whole.has_more, whole.data.length < 30]).toEqual([true, true])
  const { has_more, data } = expectBody(await as.get('/api/v2/narrative?limit=100'), 200)
  expect([has_more, data.length]).toEqual([false, 30])
  for (const { characters } of data) expect(characters).toEqual([member.character])
  const feed = expectBody(await as.get('/api/v2/changes?limit=100'), 200)
  expect([feed.has_more, feed.changes.length]).toEqual([false, 31])
}, 120_000)

describe('who may not', () => {
  it('[RA-015][RA-017] read as another is told so before the rest of the request', async () => {
    const { as } = await share('contributor')
    for (const path of [
      '/character?as=',
      '/character?as=public&limit=abc',
      '/character?as=public&foo=1',
      '/character/abc?as=public',
    ]) {
      expectRefused(await as.get(`/api/v2${path}`), 'view_as_owner_only')
    }
  })

  it('[HD-024] hide, or change the world, is told so before the rest of the request', async () => {
    const { as } = await share('contributor')
    const big = { fields: ['x'.repeat(2_700_000)] }
    expectRefused(await as.get('/api/v2/world/hidden?foo=1'), 'permission_error')
    expectRefused(await as.put('/api/v2/character/abc/hidden?foo=1'), 'permission_error')
    expectRefused(await as.put(`/api/v2/character/${randomUUID()}/hidden`, big), 'permission_error')
    expectRefused(await as.patch('/api/v2/world?foo=1', { name: 'x' }), 'owner_only')
  })

  it('[HD-027] but the owner is told what is wrong with it', async () => {
    const { own } = await share('contributor')
    const { id } = await own.make('character')
    const path = `/api/v2/character/${id}/hidden`
    expectRefused(await own.get('/api/v2/world/hidden?foo=1'), 'invalid_request', 'foo')
    expectRefused(await own.put(`${path}?foo=1`), 'invalid_request', 'foo')
    expectRefused(await own.put(path, { fields: ['x'.repeat(2_700_000)] }), 'payload_too_large')
    expect(expectBody(await own.get('/api/v2/world/hidden'), 200).data).toEqual([])
  })
})

describe('a removed member', () => {
  it('[AC-008][AG-001] makes no seat once its removal was answered', async () => {
    const { own, member, as } = await share('co_builder')
    const made = await whileLocked(
      'select from membership.accounts a where a.id = $1 for update',
      member.account.id,
      () => as.bearer.post(`${own.path}/seats`, { name: 'Late', role: 'co_builder' }),
      async () => expectBody(await own.bearer.delete(`${own.path}/members/${member.membership}`), 204),
    )
    expectRefused(made as never, 'not_found')
    expect((await own.roster()).map(({ status }) => status)).toEqual(['active', 'removed'])
  })

  it('[AC-009] replays nothing from the moment that element knows', async () => {
    const { own, member, as } = await share('contributor')
    const key = { 'Idempotency-Key': randomUUID() }
    const send = () => as.post('/api/v2/character', { name: 'once' }, key)
    expectBody(await send(), 201)
    await whileLocked(
      'select from membership.members m where m.id = $1 for update',
      member.membership,
      () => own.bearer.delete(`${own.path}/members/${member.membership}`),
      async () => {
        await until(async () => (await own.row(member.membership)).status === 'removed')
        expectRefused(await send(), 'invalid_credentials')
        expectRefused(await as.get('/api/v2/me'), 'invalid_credentials')
      },
    )
    expectRefused(await send(), 'invalid_credentials')
  })
})
