/** Elements that a version wrote which knew no words are found by them all the same, a little later. */
import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { newWorld, type World } from '@worlds/testkit/world'
import pg from 'pg'

let system: System
let world: World
let own: Api
let database: pg.Client
beforeAll(async () => {
  system = await startSystem({ env: { element: { PURGE_EVERY_MS: '50' } } })
  world = await newWorld(system)
  own = api(system.gateway, { ...world.headers })
  database = new pg.Client({ connectionString: system.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await system.stop()
})

const found = async (q: string): Promise<string[]> =>
  (await own.get(`/api/v2/search?q=${q}`)).body.data.map(({ id }: { id: string }) => id)
const counted = async (table: string) =>
  Number(
    (await database.query(`select count(*) from element.${table} where world_id = $1`, [world.world])).rows[0].count,
  )

/** A commit as the version before sends it: that of one law, made or changed, and nothing else. */
async function commitAsBefore(what: 'n' | 'u', law: Record<string, unknown>): Promise<void> {
  const { rows } = await database.query(
    `select unnest(p.proargnames) as name from pg_proc p
     join pg_namespace s on s.oid = p.pronamespace and s.nspname = 'element' where p.proname = 'commit_writes'`,
  )
  const head = await database.query('select * from element.world_heads where world_id = $1', [world.world])
  const { head: seen, view_version, auth_version, timeline } = head.rows[0]
  const next = Number(seen) + 1
  const columns: Record<string, unknown> = { ...law, seq: next, folded: law.name, tail: ',"change_seq":0}' }
  const given: Record<string, unknown> = {
    ...{ p_world: world.world, p_batch: randomUUID(), p_now: new Date(), p_head: next, p_view_version: view_version },
    ...{ p_seen: [seen, view_version, auth_version, timeline], p_largest: 500, p_record: null, r_expired: new Date(0) },
  }
  const values = rows.map(({ name }) => {
    const [prefix, column = ''] = name.split('_')
    if (name in given) return given[name]
    return prefix === what && column !== '' ? [columns[column] ?? (column === 'by' ? null : '')] : []
  })
  const places = values.map((_, index) => `$${index + 1}`)
  const committed = await database.query(`select element.commit_writes(${places}) as done`, values)
  expect(committed.rows[0].done).toBe(true)
}

it('are found once their words are found out', async () => {
  const id = randomUUID()
  const body = (description: string) => `{"type":"law","id":"${id}","name":"Old","description":"${description}"`
  await commitAsBefore('n', { id, type: 'law', name: 'old', size: 100, body: body('Mulberry jam') })
  await until(async () => (await found('mulberry')).includes(id))
  await commitAsBefore('u', { id, name: 'old', size: 100, body: body('Quince jelly') })
  await until(async () => (await found('quince')).includes(id))
  expect(await found('mulberry')).toEqual([])
  expect(await counted('unworded')).toBe(0)
})

it('are found though they are written and deleted meanwhile', async () => {
  const ids: string[] = []
  for (let batch = 0; batch < 3; batch += 1) {
    const items = Array.from({ length: 300 }, () => ({ type: 'zone', element: { name: 'Z', description: 'marzipan' } }))
    const { body } = await own.post('/api/v2/bulk', { items })
    ids.push(...body.items.map((item: { id: string }) => item.id))
  }
  await database.query('delete from element.words where world_id = $1', [world.world])
  await database.query('insert into element.unworded select world_id, id from element.elements where world_id = $1', [
    world.world,
  ])
  await Promise.all([
    ...ids.slice(0, 40).map((id) => own.patch(`/api/v2/zone/${id}`, { description: 'nougat' })),
    ...ids.slice(40, 60).map((id) => own.delete(`/api/v2/zone/${id}`)),
  ])
  await until(async () => (await counted('unworded')) === 0)
  const words = await database.query(
    `select w.words::text, count(*)::int from element.words w join element.elements e using (world_id, id)
     where w.world_id = $1 and e.type = 'zone' group by 1 order by 1`,
    [world.world],
  )
  expect(words.rows.map((row) => Object.values(row))).toEqual([
    ["'marzipan'", 840],
    ["'nougat'", 40],
  ])
  const orphans =
    'select count(*)::int from element.words w left join element.elements e using (world_id, id) where e.id is null'
  expect((await database.query(orphans)).rows[0].count).toBe(0)
})
