/**
 * Random writers over few ids in two worlds, through two element processes, while connections and
 * processes are cut: what was acknowledged is there, in the order that its places say, and every
 * follower ends with what a fresh walk gives.
 */
import { randomUUID } from 'node:crypto'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newWorld } from '@worlds/testkit/world'
import pg from 'pg'

interface Change {
  readonly op: 'upsert' | 'delete'
  readonly type: string
  readonly id: string
  readonly change_seq: number
  readonly element?: Body
}

interface Body {
  readonly id: string
  readonly type: string
  readonly change_seq: number
  readonly friends: readonly string[]
}

const ids = Array.from({ length: 30 }, () => randomUUID())
const any = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T
const some = (count: number): string[] => Array.from({ length: count }, () => any(ids))

/** What one world's writers were told, by place. */
class History {
  /** Bodies as they were acknowledged. */
  readonly bodies = new Map<number, Body>()
  acknowledged = 0
  unknown = 0

  note({ status, body }: ApiReply): void {
    if (status >= 500) this.unknown += 1
    if (status >= 300) return
    this.acknowledged += 1
    if (body?.change_seq === undefined) return
    // No place is ever given twice.
    expect(this.bodies.has(body.change_seq)).toBe(false)
    this.bodies.set(body.change_seq, body)
  }
}

describe('a history of random writes under faults', () => {
  let system: System
  let database: pg.Client
  beforeAll(async () => {
    const env = { gateway: { REQUEST_BUDGET: '1000000', CALL_DEADLINE_MS: '5000' } }
    system = await startSystem({ elements: 2, gateways: 2, pinGateways: true, env })
    database = new pg.Client({ connectionString: system.databaseUrl })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await system.stop()
  })

  it('[CF-009][CF-010][CF-055][CF-056] holds together', async () => {
    const worlds = await Promise.all([newWorld(system), newWorld(system)])
    const histories = worlds.map(() => new History())
    let writing = true
    let following = true
    const writers = worlds.flatMap(({ headers }, index) =>
      Array.from({ length: 8 }, async (_, writer) => {
        const door = api(system.gateways[writer % 2] as string, { ...headers })
        while (writing) histories[index]?.note(await write(door))
      }),
    )
    const followers = worlds.flatMap(({ headers }) =>
      [1, 7, 500].map((limit) => follow(api(system.gateway, { ...headers }), limit, () => following)),
    )

    for (let round = 0; round < 6; round += 1) {
      const before = histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
      const enough = () => histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0) > before + 150
      await until(enough)
      if (round % 3 === 0) await cutConnections()
      else if (round % 3 === 1) await system.processes.kill(any(['element', 'element-2']))
      for (const name of ['element', 'element-2']) {
        if (system.processes.exitCode(name) !== null || round % 3 === 1) await system.processes.restart(name)
      }
    }
    writing = false
    await Promise.all(writers)
    following = false
    const ended = await Promise.all(followers)

    for (const [index, { headers, world }] of worlds.entries()) {
      const owner = api(system.gateway, { ...headers })
      const fresh = await follow(owner, 1000, () => false)
      for (const folded of ended.slice(index * 3, index * 3 + 3)) expect(folded.elements).toEqual(fresh.elements)
      await compareWithTables(world, fresh.elements)
      const history = histories[index] as History
      expect(history.acknowledged).toBeGreaterThan(100)
      for (const [place, body] of history.bodies) {
        expect(place).toBeLessThanOrEqual(fresh.head)
        const now = fresh.elements.get(body.id)
        // The last write of an id is what is read of it; an earlier one has been overwritten since.
        if (now?.change_seq === place) expect(now).toEqual(body)
        else expect(now === undefined || now.change_seq > place).toBe(true)
      }
      for (const { friends } of fresh.elements.values()) {
        for (const friend of friends) expect(fresh.elements.has(friend)).toBe(true)
      }
    }
  })

  async function write(door: Api): Promise<ApiReply> {
    const id = any(ids)
    const path = `/api/v2/character/${id}`
    try {
      switch (Math.floor(Math.random() * 7)) {
        case 0:
          return await door.post('/api/v2/character', { id, name: 'made' })
        case 1:
          return await door.put(path, { name: 'put', friends: some(2) })
        case 2:
          return await door.patch(path, { level: Math.floor(Math.random() * 1000), friends: some(1) })
        case 3:
          return await door.post(`${path}/links/friends`, { add: some(2), remove: some(1) })
        case 4:
          return await door.delete(path)
        case 5:
          return await door.put(`${path}/hidden`)
        default: {
          const items = some(4).map((one) => ({
            type: 'character',
            element: { id: one, name: 'bulk', friends: some(1) },
          }))
          return await door.post('/api/v2/bulk', { items, atomic: Math.random() < 0.5 })
        }
      }
    } catch (error) {
      return { status: 599, headers: new Headers(), body: null, text: String(error) }
    }
  }

  async function cutConnections(): Promise<void> {
    await database.query(
      `select pg_terminate_backend(a.pid) from pg_stat_activity a
       where a.datname = current_database() and a.application_name in ('element', 'change-feed')`,
    )
  }

  async function compareWithTables(world: string, elements: ReadonlyMap<string, Body>): Promise<void> {
    const { rows } = await database.query(
      'select e.id, e.change_seq::int from element.elements e where e.world_id = $1',
      [world],
    )
    const stored = rows.map(({ id, change_seq }) => [id, change_seq]).sort()
    expect(stored).toEqual([...elements.values()].map(({ id, change_seq }) => [id, change_seq]).sort())
    const links = await database.query('select l.source_id, l.target_id from element.links l where l.world_id = $1', [
      world,
    ])
    const fromRows = links.rows.map(({ source_id, target_id }) => `${source_id} ${target_id}`).sort()
    const fromBodies = [...elements.values()]
      .flatMap(({ id, friends }) => friends.map((target) => `${id} ${target}`))
      .sort()
    expect(fromRows).toEqual(fromBodies)
    const names = await database.query('select n.id from element.names n where n.world_id = $1', [world])
    expect(names.rows.map(({ id }) => id).sort()).toEqual([...elements.keys()].sort())
    const held = await database.query('select i.id from element.element_ids i where i.world_id = $1', [world])
    expect(held.rows.map(({ id }) => id).sort()).toEqual([...elements.keys()].sort())
    const marks = await database.query('select m.id from element.marks m where m.world_id = $1', [world])
    for (const { id } of marks.rows) expect(elements.has(id)).toBe(true)
  }
})

/** Folds the feed, page by page, with places strictly ascending; faults are asked again. */
async function follow(reader: Api, limit: number, goesOn: () => boolean) {
  const elements = new Map<string, Body>()
  let since = '0'
  let last = 0
  for (;;) {
    const stays = goesOn()
    const reply = await reader.get(`/api/v2/changes?limit=${limit}&since=${since}`).catch(() => undefined)
    if (reply?.status !== 200) continue
    for (const { op, id, change_seq, element } of reply.body.changes as Change[]) {
      expect(change_seq).toBeGreaterThan(last)
      last = change_seq
      if (op === 'upsert') elements.set(id, element as Body)
      else elements.delete(id)
    }
    since = reply.body.cursor
    if (!stays && !reply.body.has_more) return { elements, head: reply.body.head as number }
  }
}
