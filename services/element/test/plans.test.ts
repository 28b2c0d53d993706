import { loadStatement } from '@worlds/element/store/load'
import { claimOutboxStatement } from '@worlds/element/store/outbox'
import { findElement, findElements, findImageUrl } from '@worlds/element/store/sight'
import type { Database, Statement } from '@worlds/runtime/postgres'
import { roleUrls } from '@worlds/schema/roles'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { testPasswords } from '@worlds/testkit/test-servers'
import { newWorld } from '@worlds/testkit/world'
import { ownerReader } from '@worlds/views/reader'
import pg from 'pg'

/** Statistics of a young database, with one small world in it, mislead the planner for ever after. */
describe('plans made after ANALYZE of a database with one world', () => {
  let system: System
  let element: pg.Client
  beforeAll(async () => {
    system = await startSystem()
    const { headers } = await newWorld(system)
    const owner = api(system.gateway, { ...headers })
    const image_url = 'https://example.org/b.png'
    for (const name of ['a', 'b', 'c']) await owner.post('/api/v2/character', { name, image_url })
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

  it('claim what is to be told in the order it is due', async () => {
    const plan = await planOf(claimOutboxStatement.text)
    expect(plan).toMatch(
      /Index Scan using outbox_by_due[\s\S]*Index Scan using outbox_pkey|outbox_pkey[\s\S]*outbox_by_due/,
    )
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join/)
  })

  it('find elements by their keys, and an image by its URL, for the owner', async () => {
    const world = '00000000-0000-0000-0000-000000000000'
    const texts: string[] = []
    const database = {
      rows: async ({ text }: Statement) => {
        texts.push(text)
        return []
      },
    } as unknown as Database
    await findElement(database, world, 'character', world, ownerReader)
    await findElements(database, world, [world], ownerReader)
    await findImageUrl(database, world, 'https://example.org/a.png', ownerReader)
    const plans: string[] = []
    for (const text of texts) plans.push(await planOf(text))
    const [one = '', some, image] = plans
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join|Bitmap/)
    for (const plan of [one, some]) expect(plan).toContain('Index Scan using elements_pkey')
    expect(some).toMatch(/Index Cond: \(\(world_id = .*\(id = ANY \(\$2\)\)\)/)
    expect(image).toContain('Index Scan using elements_by_image_url')
  })

  async function planOf(statement: string): Promise<string> {
    const { rows } = await element.query(`explain (generic_plan) ${statement}`)
    return rows.map((row) => Object.values(row)[0]).join('\n')
  }
})
