import { purgeStatements } from '@worlds/element/store/purge'
import { roleUrls } from '@worlds/schema/roles'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { testPasswords } from '@worlds/testkit/test-servers'
import { newWorld } from '@worlds/testkit/world'
import pg from 'pg'

/** With statistics of a young database every index looks alike, and a scan of the whole world looks cheap. */
describe.each(['no', 'one small'])('plans of the purge after ANALYZE of a database with %s world', (worlds) => {
  let system: System
  let element: pg.Client
  beforeAll(async () => {
    system = await startSystem()
    if (worlds !== 'no') {
      const { headers } = await newWorld(system)
      const owner = api(system.gateway, { ...headers })
      const { body } = await owner.post('/api/v2/character', { name: 'a' })
      await owner.post('/api/v2/character', { name: 'b', friends: [body.id] }, { 'Idempotency-Key': 'once' })
      await owner.put(`/api/v2/character/${body.id}/hidden`)
    }
    const superuser = new pg.Client({ connectionString: system.databaseUrl })
    await superuser.connect()
    await superuser.query('analyze')
    await superuser.end()
    element = new pg.Client({ connectionString: roleUrls(system.databaseUrl, testPasswords).element })
    await element.connect()
    await element.query('set enable_sort = off')
  })
  afterAll(async () => {
    await element.end()
    await system.stop()
  })

  it.each(purgeStatements.map(({ name, text }) => [name, text]))('%s reads its index in order', async (_name, text) => {
    const index = /-- (\w+)/.exec(text ?? '')?.[1]
    const { rows } = await element.query(`explain (generic_plan) ${text}`)
    const plan = rows.map((row) => Object.values(row)[0]).join('\n')
    expect(plan).toMatch(new RegExp(`Index (Only )?Scan using ${index} on`))
    expect(plan).not.toMatch(/Seq Scan|Bitmap|Sort|Hash Join|Merge Join/)
    if (/ctid/.test(text ?? '')) expect(plan).toContain('TID Cond: (ctid = ANY')
  })
})
