import { loadStatement } from '@worlds/element/store/load'
import { api } from '@worlds/testkit/api'
import { roleUrls } from '@worlds/testkit/roles'
import { type System, startSystem } from '@worlds/testkit/system'
import { testPasswords } from '@worlds/testkit/test-servers'
import { newWorld } from '@worlds/testkit/world'
import pg from 'pg'

/** Statistics of a young database, with one small world in it, mislead the planner for ever after. */
describe('plans made after ANALYZE of a database with one world', () => {
  let system: System
  let element: pg.Client
  beforeAll(async () => {
    system = await startSystem()
    const { headers } = await newWorld(system)
    const owner = api(system.gateway, { ...headers })
    for (const name of ['a', 'b', 'c']) await owner.post('/api/v2/character', { name })
    const superuser = new pg.Client({ connectionString: system.databaseUrl })
    await superuser.connect()
    await superuser.query('analyze')
    await superuser.end()
    element = new pg.Client({ connectionString: roleUrls(system.databaseUrl, testPasswords).element })
    await element.connect()
  })
  afterAll(async () => {
    await element.end()
    await system.stop()
  })

  it('go by the indexes when facts are loaded', async () => {
    const plan = await planOf(loadStatement.text)
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join/)
    for (const index of ['world_heads_pkey', 'elements_pkey', 'links_pkey', 'receipts_pkey', 'element_ids_pkey']) {
      expect(plan).toContain(index)
    }
  })

  it('update elements by their key inside the commit', async () => {
    const plan = await planOf(`
      update element.elements e set change_seq = u.seq
      from unnest($1::uuid[], $2::bigint[]) as u (id, seq) where e.world_id = $3::uuid and e.id = u.id`)
    expect(plan).toContain('Index Scan using elements_pkey')
    expect(plan).toContain('Nested Loop')
  })

  async function planOf(statement: string): Promise<string> {
    const { rows } = await element.query(`explain (generic_plan) ${statement}`)
    return rows.map((row) => Object.values(row)[0]).join('\n')
  }
})
