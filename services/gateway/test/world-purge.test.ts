import { randomUUID } from 'node:crypto'
import { elementV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { accountApi } from './hostile-table'
import { expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
let database: pg.Client

const start = async (env: Record<string, string>) => {
  system = await startSystem({ elements: 2, env: { element: env, gateway: { REQUEST_BUDGET: '1000000' } } })
  database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
}
const stop = async () => {
  await database.end()
  await system.stop()
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: randomUUID(), name: `Someone ${n}` }))
const deleteWorld = async ({ token, world }: Owner) =>
  expectBody(await accountApi(system.gateway, token).delete(`/api/v2/account/worlds/${world}`), 204)

/** Every table whose rows are some world's; the outbox holds what is still to be told of any. */
async function tables(): Promise<string[]> {
  const { rows } = await database.query(
    `select c.table_name as name from information_schema.columns c
     where c.table_schema = 'element' and c.column_name = 'world_id' and c.table_name <> 'outbox' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** How many rows there are of a world, by table; those without any are left out. */
async function rowsOf(world: string): Promise<Record<string, number>> {
  const counts = (await tables()).map(
    (name) => `select '${name}' as name, count(*)::int as rows from element.${name} where world_id = $1`,
  )
  const { rows } = await database.query(counts.join(' union all '), [world])
  return Object.fromEntries(rows.filter((row) => row.rows > 0).map((row) => [row.name, row.rows]))
}

/** All that is stored of a world. */
async function contentOf(world: string): Promise<unknown[]> {
  const all: unknown[] = []
  for (const name of await tables()) {
    const sql = `select r::text as row from element.${name} r where r.world_id = $1 order by 1`
    all.push((await database.query(sql, [world])).rows)
  }
  return all
}

const isPurged = async (world: string) => {
  const { rows } = await database.query('select closed, purged_at from element.world_heads where world_id = $1', [
    world,
  ])
  return rows[0].closed && rows[0].purged_at !== null
}
const untilPurged = async (...worlds: string[]) => {
  for (const world of worlds) await until(() => isPurged(world))
}

/** Rows of these are gone within a moment also in a world that stays. */
const endByThemselves = ['departures', 'unworded']

/** A world with rows in every other table: links both ways, marks, tombstones, receipts, words, a member's seat. */
async function fill(own: Owner): Promise<string[]> {
  const [first, second] = await own.seed('character', numbered(2))
  const place = await own.make('location', { description: 'Where the river bends' })
  const third = await own.make('character', { friends: [first, second], birthplace: place.id })
  expectBody(await own.patch(`/api/v2/character/${first}`, { friends: [third.id] }), 200)
  expectBody(await own.put(`/api/v2/character/${second}/hidden`), 204)
  expectBody(await own.put(`/api/v2/location/${place.id}/hidden`), 204)
  await own.make('narrative', { characters: [first] })
  const gone = await own.make('zone')
  expectBody(await own.delete(`/api/v2/zone/${gone.id}`), 204)
  expectBody(await own.post('/api/v2/zone', { name: 'Once' }, { 'Idempotency-Key': randomUUID() }), 201)
  const { token } = await addMember(system, own, 'contributor')
  const seats = `/api/v2/account/worlds/${own.world}/seats`
  expectBody(await accountApi(system.gateway, token).post(seats, { name: 'Scribe', character: 'none' }), 201)
  const expected = (await tables()).filter((name) => !endByThemselves.includes(name))
  expect(Object.keys(await rowsOf(own.world))).toEqual(expected)
  return [first, second, third.id] as string[]
}

/** Thousands of elements, most of them linked, and tombstones. */
async function fillThousands(own: Owner): Promise<string[]> {
  const zones = await own.seed('zone', numbered(40))
  const elements = numbered(3000)
  for (let at = 0; at < elements.length; at += 1000) {
    const friends = at === 0 ? [] : [elements[0]?.id]
    await own.seed(
      'character',
      elements.slice(at, at + 1000).map((element) => ({ ...element, friends })),
    )
  }
  const deleted = await Promise.all(zones.map((id) => own.delete(`/api/v2/zone/${id}`)))
  for (const reply of deleted) expectBody(reply, 204)
  return elements.map(({ id }) => id)
}

describe('a deleted world', () => {
  // What the tests see has begun with the deletion, not with a look every so often.
  beforeAll(() => start({ PURGE_EVERY_MS: '600000' }))
  afterAll(stop)

  it('[HD-015][AU-032][WR-013] leaves its head alone, and gives its ids back', async () => {
    const [own, other] = [await newOwner(system), await newOwner(system)]
    const ids = await fill(own)
    await fill(other)
    for (const id of ids) {
      expectRefusal(await other.post('/api/v2/character', { id, name: 'x' }), 409, 'id_conflict', 'id')
    }
    const before = await contentOf(other.world)
    await deleteWorld(own)
    expectRefusal(await own.get('/api/v2/character'), 401, 'invalid_credentials', null)
    await untilPurged(own.world)
    expect(await rowsOf(own.world)).toEqual({ world_heads: 1 })
    expect(await contentOf(other.world)).toEqual(before)
    for (const id of ids) expectBody(await other.post('/api/v2/character', { id, name: 'x' }), 201)
  })

  it('[AU-032] stays deleted when the errand that opens it comes again', async () => {
    const own = await newOwner(system)
    await deleteWorld(own)
    await untilPurged(own.world)
    const peer = new RpcPeer(system.elementAddresses, system.serviceToken)
    try {
      const request = { world_id: own.world, name: 'Late' }
      const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
      const reply = await new RpcClient(elementV1.Roll, peer).unary('OpenWorld', request, settings)
      expect(reply).toEqual({ world: null })
    } finally {
      peer.close()
    }
    expect(await rowsOf(own.world)).toEqual({ world_heads: 1 })
    expect(await isPurged(own.world)).toBe(true)
  })

  it('[WR-013] gives thousands of ids back, while others write', async () => {
    const [own, other] = [await newOwner(system), await newOwner(system)]
    const ids = await fillThousands(own)
    await deleteWorld(own)
    for (const id of [ids[0], ids[1500], ids[2999]]) {
      await until(async () => (await other.post('/api/v2/character', { id, name: 'Again' })).status === 201)
    }
    await untilPurged(own.world)
    expect(await rowsOf(own.world)).toEqual({ world_heads: 1 })
    const { rows } = await database.query('select count(*)::int as rows from element.element_ids where id = any ($1)', [
      ids,
    ])
    expect(rows).toEqual([{ rows: 3 }])
    const counts = await Promise.all(
      ['element', 'element-2'].map(async (name) => {
        const text = await (await fetch(`${system.processes.metrics(name)}/metrics`)).text()
        return Number(/^element_purged_rows_total\S* (\d+)/m.exec(text)?.[1])
      }),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3 * 3000 + 2000)
  })
})

describe('a purge that is cut', () => {
  beforeAll(() => start({ PURGE_EVERY_MS: '200' }))
  afterAll(stop)

  it.each([[['element']], [['element-2']], [['element', 'element-2']]])(
    '[HD-015] goes on where it was after %j died',
    async (victims) => {
      const [own, other] = [await newOwner(system), await newOwner(system)]
      await fill(other)
      await fillThousands(own)
      const before = await contentOf(other.world)
      const release = await holdTombstone(own.world)
      await deleteWorld(own)
      await until(async () => (await rowsOf(own.world)).links === undefined)
      expect(await rowsOf(own.world)).toMatchObject({ tombstones: 40, members: 1, worlds: 1, world_heads: 1 })
      for (const name of victims) await system.processes.kill(name)
      await release()
      // While a process is left it needs no other.
      if (victims.length < 2) await untilPurged(own.world)
      for (const name of victims) await system.processes.restart(name)
      await untilPurged(own.world)
      expect(await rowsOf(own.world)).toEqual({ world_heads: 1 })
      expect(await contentOf(other.world)).toEqual(before)
    },
  )

  it('[HD-015] is shared by two processes when several worlds go at once', async () => {
    const owners = await Promise.all(Array.from({ length: 6 }, () => newOwner(system)))
    const other = await newOwner(system)
    await fill(other)
    for (const own of owners) await own.seed('character', numbered(1000))
    const before = await contentOf(other.world)
    await Promise.all(owners.map(deleteWorld))
    await untilPurged(...owners.map(({ world }) => world))
    for (const { world } of owners) expect(await rowsOf(world)).toEqual({ world_heads: 1 })
    expect(await contentOf(other.world)).toEqual(before)
    const warned = ['element', 'element-2'].flatMap((name) => system.processes.logs(name)).join('\n')
    expect(warned).not.toContain('could not be purged')
  })

  /** The purge waits for a row that someone else has locked: so it is in the middle for as long as a test likes. */
  async function holdTombstone(world: string): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: system.databaseUrl })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from element.tombstones t where t.world_id = $1 limit 1 for update', [world])
    return async () => {
      await holder.query('rollback')
      await holder.end()
    }
  }
})
