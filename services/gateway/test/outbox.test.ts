/** What element tells of deletions, as the file service hears it. */
import { randomUUID } from 'node:crypto'
import { elementV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { accountApi } from './hostile-table'
import { type WaitingJobs, waitingJobs } from './queue-support'
import { expectBody, expectRefusal, newOwner, type Owner, uuidForm } from './support'

let system: System
let database: pg.Client
let queue: WaitingJobs
let own: Owner

beforeAll(async () => {
  // What the tests see has begun with the commit, not with a look every so often.
  const env = {
    element: { OUTBOX_EVERY_MS: '600000', PURGE_EVERY_MS: '600000' },
    gateway: { REQUEST_BUDGET: '100000' },
  }
  system = await startSystem({ env })
  queue = waitingJobs(system, 'element-deleted')
  database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await queue.close()
  await database.end()
  await system.stop()
})
beforeEach(async () => {
  own = await newOwner(system)
})

const told = async () => (await queue.all()).filter(({ data }) => data.worldId === own.world)
const waiting = async () => {
  const { rows } = await database.query('select id from element.outbox where world_id = $1', [own.world])
  return rows.map(({ id }) => id)
}
const untilTold = (count: number) => until(async () => (await told()).length >= count && (await waiting()).length === 0)

async function tombstones() {
  const { rows } = await database.query(
    'select id, change_seq::int as place from element.tombstones where world_id = $1 order by change_seq',
    [own.world],
  )
  return rows
}

async function commits(): Promise<number> {
  const { rows } = await database.query('select commits::int from element.world_heads where world_id = $1', [own.world])
  return rows[0].commits
}

it('a deletion is told with the place of its tombstone', async () => {
  const { id } = await own.make('zone')
  expectBody(await own.delete(`/api/v2/zone/${id}`), 204)
  await untilTold(1)
  const data = { kind: 'elements', worldId: own.world, elements: [{ id, place: 2 }] }
  expect(await told()).toEqual([{ id: expect.stringMatching(uuidForm), name: 'elements', data }])
  expect(await tombstones()).toEqual(data.elements)
})

it('deletions of one commit are told at once, each with its place', async () => {
  const ids = await own.seed(
    'zone',
    Array.from({ length: 60 }, (_, n) => ({ id: randomUUID(), name: `Zone ${n}` })),
  )
  const before = await commits()
  const replies = await Promise.all(ids.map((id) => own.delete(`/api/v2/zone/${id}`)))
  for (const reply of replies) expectBody(reply, 204)
  const count = (await commits()) - before
  expect(count).toBeLessThan(ids.length)
  await untilTold(count)
  const jobs = await told()
  expect(jobs).toHaveLength(count)
  expect(jobs.flatMap(({ data }) => data.elements).sort((a, b) => a.place - b.place)).toEqual(await tombstones())
})

it('what deletes nothing tells nothing', async () => {
  const { id } = await own.make('zone')
  expectBody(await own.patch(`/api/v2/zone/${id}`, { name: 'Other' }), 200)
  expectBody(await own.delete(`/api/v2/zone/${randomUUID()}`), 204)
  expectRefusal(await own.delete('/api/v2/zone/x'), 422, 'invalid_request')
  const last = await own.make('zone')
  expectBody(await own.delete(`/api/v2/zone/${last.id}`), 204)
  await untilTold(1)
  expect((await told()).map(({ data }) => data.elements.map((element: { id: string }) => element.id))).toEqual([
    [last.id],
  ])
})

it('a closed world is told once', async () => {
  const { id } = await own.make('zone')
  expectBody(await own.delete(`/api/v2/zone/${id}`), 204)
  await untilTold(1)
  expectBody(await accountApi(system.gateway, own.token).delete(`/api/v2/account/worlds/${own.world}`), 204)
  await untilTold(2)
  const peer = new RpcPeer(system.elementAddresses, system.serviceToken)
  try {
    const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
    await new RpcClient(elementV1.Roll, peer).unary('CloseWorld', { world_id: own.world }, settings)
  } finally {
    peer.close()
  }
  expect(await waiting()).toEqual([])
  const [, world, ...more] = await told()
  expect(world).toEqual({
    id: expect.stringMatching(uuidForm),
    name: 'world',
    data: { kind: 'world', worldId: own.world },
  })
  expect(more).toEqual([])
})
