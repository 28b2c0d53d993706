/** Plans of what members read, made when the database knew one small world. */
import { changesSql } from '@worlds/change-feed/store/changes-sql'
import { countTypings } from '@worlds/element/store/count-typings'
import { listElements, listIds } from '@worlds/element/store/list-elements'
import { readElement, readElements, sizeReadAtOnce } from '@worlds/element/store/read-element'
import { readRoster } from '@worlds/element/store/roster'
import { search } from '@worlds/element/store/search'
import { findElement, findElements, findImageUrl } from '@worlds/element/store/sight'
import type { Database, Statement } from '@worlds/runtime/postgres'
import { roleUrls } from '@worlds/schema/roles'
import { api } from '@worlds/testkit/api'
import { addMember, type Member } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { testPasswords } from '@worlds/testkit/test-servers'
import { newWorld, type World } from '@worlds/testkit/world'
import { type Reader, Readers } from '@worlds/views/reader'
import pg from 'pg'

describe.each(['contributor', 'guest'] as const)('plans for a %s', (role) => {
  let system: System
  let world: World
  let member: Member
  let client: pg.Client
  let reader: Reader
  beforeAll(async () => {
    system = await startSystem()
    world = await newWorld(system)
    member = await addMember(system, world, role)
    const owner = api(system.gateway, { ...world.headers })
    const named = role === 'guest' ? [member.character] : []
    for (const name of ['a', 'b']) await owner.post('/api/v2/event', { name, characters: named })
    const { body } = await owner.post('/api/v2/character', { name: 'hidden' })
    await owner.put(`/api/v2/character/${body.id}/hidden`)
    const superuser = new pg.Client({ connectionString: system.databaseUrl })
    await superuser.connect()
    await superuser.query('analyze')
    await superuser.end()
    client = new pg.Client({ connectionString: roleUrls(system.databaseUrl, testPasswords).element })
    await client.connect()
    reader = (await new Readers(database).find(world.world, member.membership)) as Reader
    expect(reader.unmarked).toBe(false)
  })
  afterAll(async () => {
    await client.end()
    await system.stop()
  })

  const seen: Statement[] = []
  const database = {
    rows: async (statement: Statement, values: unknown[]) => {
      seen.push(statement)
      const types = { getTypeParser: () => String } as unknown as pg.CustomTypesConfig
      return (await client.query({ text: statement.text, values, rowMode: 'array', types })).rows
    },
  } as unknown as Database

  async function planOf(read: () => Promise<unknown>): Promise<string> {
    seen.length = 0
    await read()
    const { rows } = await client.query(`explain (generic_plan) ${seen.at(-1)?.text}`)
    return rows.map((row) => Object.values(row)[0]).join('\n')
  }

  /** Nothing is read that does not begin with the world, or an id in it. */
  function expectIndexes(plan: string, ...indexes: string[]): void {
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join|hashed SubPlan/)
    for (const index of indexes) expect(plan).toContain(index)
    expect(plan).not.toContain('marks_by_place')
  }

  it('of one element go by keys', async () => {
    const plan = await planOf(() => readElement(database, world.world, 'event', world.world, reader, sizeReadAtOnce))
    expectIndexes(plan, 'elements_pkey', 'marks_pkey', 'links_by_source', 'members_pkey')
  })

  it('of a page go along an index of each grant', async () => {
    const request = { worldId: world.world, type: 'event', limit: 100, after: 0, filters: [], reader }
    const plan = await planOf(() => listElements(database, request))
    const own = role === 'guest' ? ['appearances_by_', 'elements_by_creator'] : ['elements_by_type_and_place']
    expectIndexes(plan, 'marks_pkey', 'links_by_source', ...own)
  })

  it('of the feed go along an index of each grant', async () => {
    const { plain, values } = changesSql(reader)
    const plan = await planOf(() => database.rows(plain, [world.world, 0, 100, 101, ...values]))
    const own = role === 'guest' ? ['appearances_by_place', 'elements_by_creator'] : ['elements_by_place']
    const byPlace = role === 'guest' ? plan : plan.replace(/marks_by_place/, '')
    expectIndexes(byPlace, 'marks_pkey', 'tombstones_pkey', 'links_by_source', ...own)
  })

  it('of what is asked for files go by keys', async () => {
    const one = await planOf(() => findElement(database, world.world, 'event', world.world, reader))
    expectIndexes(one, 'elements_pkey', 'marks_pkey', 'members_pkey')
    const some = await planOf(() => findElements(database, world.world, [world.world], reader))
    expectIndexes(some, 'elements_pkey', 'marks_pkey', 'members_pkey')
    expect(some).toMatch(/Index Cond: \(\(world_id = .*\(id = ANY \(\$2\)\)\)/)
  })

  it('of an image go by its URL', async () => {
    const plan = await planOf(() => findImageUrl(database, world.world, 'https://example.org/a.png', reader))
    expectIndexes(plan, 'elements_by_image_url', 'marks_pkey', 'members_pkey')
    expect(plan).toMatch(/Index Cond: \(\(world_id = .*\(md5\(image_url\) = md5\(\$2\)\)\)/)
  })

  it('of a search go by an index of each way, and by their keys', async () => {
    const owner = new pg.Client({ connectionString: system.databaseUrl })
    await owner.connect()
    // Of few names any index will do.
    await owner.query(
      `with many as (select gen_random_uuid() as id, 'name ' || n as name from generate_series(1, 30000) n), named as (
         insert into element.names select $1, m.id, m.name from many m
       ) insert into element.words select $1, m.id, array_to_tsvector(string_to_array(m.name, ' ')) from many m`,
      [world.world],
    )
    await owner.query('vacuum analyze element.names, element.words')
    await owner.end()
    const request = { worldId: world.world, q: 'event', types: ['event'], limit: 20, after: null, reader }
    const plan = await planOf(() => search(database, request))
    const ways = ['names_in_order', 'names_by_trigram', 'words_by_word']
    expectIndexes(plan, ...ways, 'names_pkey', 'elements_pkey', 'marks_pkey', 'members_pkey')
    const short = await planOf(() => search(database, { ...request, q: 'ev' }))
    expectIndexes(short, 'names_in_order', 'elements_pkey')
  })

  it('of typings that are counted, and of a classic list, go by the category', async () => {
    const counts = await planOf(() => countTypings(database, world.world, 'event', reader))
    expectIndexes(counts, 'elements_by_type_and_place', 'marks_pkey')
    const list = { worldId: world.world, type: 'event', limit: null, offset: 0, filters: [], reader }
    const own = role === 'guest' ? ['appearances_by_', 'elements_by_creator'] : ['elements_by_type_and_place']
    expectIndexes(await planOf(() => listIds(database, list)), 'marks_pkey', ...own)
    const some = await planOf(() => readElements(database, world.world, 'event', [world.world], reader))
    expectIndexes(some, 'elements_pkey', 'marks_pkey', 'links_by_source')
  })

  it('of the roster go by keys', async () => {
    expectIndexes(await planOf(() => readRoster(database, world.world, reader)), 'members_pkey', 'elements_pkey')
  })
})
