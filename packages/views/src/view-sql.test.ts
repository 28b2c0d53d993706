/** The SQL of a view against the view itself: every row of random worlds, for every kind of view. */
import { randomUUID } from 'node:crypto'
import { characterView, fullView, publicView, type Sight, sees, type View, viewOf } from '@worlds/domain/view'
import { databaseUrl, testServers } from '@worlds/testkit/test-servers'
import fc from 'fast-check'
import pg from 'pg'
import { grantedSql, sawSql, seesSql, unseenSql } from './view-sql'

const ids: string[] = Array.from({ length: 8 }, () => randomUUID())
const members: string[] = [randomUUID(), randomUUID()]
const pick = fc.constantFrom(...ids)

const element = (id: string) =>
  fc.record({
    id: fc.constant(id),
    createdBy: fc.option(fc.constantFrom(...members)),
    hidden: fc.boolean(),
    characters: fc.uniqueArray(pick, { maxLength: 3 }),
    friends: fc.uniqueArray(pick, { maxLength: 3 }),
  })

const worlds = fc.record({
  elements: fc.tuple(...ids.map(element)),
  ownerCharacter: fc.option(pick),
  played: fc.uniqueArray(pick, { maxLength: 2 }),
})

const views: fc.Arbitrary<View> = fc.oneof(
  fc.constantFrom(fullView, publicView),
  pick.map(characterView),
  fc
    .tuple(fc.constantFrom('co_builder', 'contributor', 'guest'), fc.constantFrom(...members), fc.option(pick))
    .map(([role, member, character]) => viewOf(role as 'guest', member, character)),
)

describe('the SQL of a view', () => {
  const name = `worlds_view_${randomUUID().slice(0, 8)}`
  let server: pg.Client
  let database: pg.Client
  beforeAll(async () => {
    const { postgresUrl, template } = testServers()
    server = new pg.Client({ connectionString: postgresUrl })
    await server.connect()
    await server.query(`create database ${name} template ${template}`)
    database = new pg.Client({ connectionString: databaseUrl(postgresUrl, name) })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await server.query(`drop database ${name} with (force)`)
    await server.end()
  })

  it('sees each element, and misses each link, as the view says', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, views, fc.nat(8), fc.integer({ min: 1, max: 8 }), async (stored, view, after, limit) => {
        const { elements, ownerCharacter, played } = stored
        const world = randomUUID()
        await store(world, elements, ownerCharacter, played)
        const onRoster = new Set([...played, ...(ownerCharacter === null ? [] : [ownerCharacter])])
        const sights = new Map<string, Sight>(
          elements.map((one) => [one.id, { ...one, onRoster: onRoster.has(one.id) } satisfies Sight]),
        )
        const isSeen = (id: string): boolean => sees(view, sights.get(id) as Sight)

        const values: unknown[] = [world]
        const param = (value: unknown) => `$${values.push(value)}`
        const { rows } = await database.query(
          `select e.id, ${seesSql(view, 'e', param)} as seen, ${unseenSql(view, 'e', param)} as unseen
           from element.elements e where e.world_id = $1`,
          values,
        )
        expect(rows).toHaveLength(elements.length)
        for (const { id, seen, unseen } of rows) {
          expect([id, seen]).toEqual([id, isSeen(id)])
          const one = elements.find((other) => other.id === id)
          const linked = new Set([...(one?.characters ?? []), ...(one?.friends ?? [])])
          expect(new Set(unseen)).toEqual(new Set([...linked].filter((target) => !isSeen(target))))
        }

        const gone: unknown[] = [world]
        const tombstones = await database.query(
          `select t.id, ${sawSql(view, 't', (value) => `$${gone.push(value)}`)} as saw
           from element.tombstones t where t.world_id = $1`,
          gone,
        )
        expect(tombstones.rows).toHaveLength(elements.length)
        for (const { id, saw } of tombstones.rows) expect([id, saw]).toEqual([id, isSeen(id)])

        if (view.all || view.open) return
        const bound: unknown[] = [world, limit, after]
        const granted = { type: '', after: '$3::bigint', limit: '$2::int', join: '', where: '' }
        const page = await database.query(
          `select s.id from (${grantedSql(view, granted, (value) => `$${bound.push(value)}`)}) s
           order by s.change_seq limit $2::int`,
          bound,
        )
        const inOrder = elements.filter(({ id }, index) => index + 1 > after && isSeen(id)).slice(0, limit)
        expect(page.rows).toEqual(inOrder.map(({ id }) => ({ id })))
      }),
      { numRuns: 150 },
    )
  })

  type Row = { id: string; createdBy: string | null; hidden: boolean; characters: string[]; friends: string[] }

  async function store(
    world: string,
    elements: readonly Row[],
    ownerCharacter: string | null,
    played: readonly string[],
  ) {
    await database.query(
      `insert into element.worlds (world_id, name, owner_character, created_at, updated_at) values ($1, 'w', $2, now(), now())`,
      [world, ownerCharacter],
    )
    for (const character of played) {
      await database.query(
        `insert into element.members (world_id, member_id, kind, role, character, joined_at)
         values ($1, $2, 'person', 'guest', $3, now())`,
        [world, randomUUID(), character],
      )
    }
    for (const [index, { id, createdBy, hidden, characters, friends }] of elements.entries()) {
      await database.query(
        `insert into element.elements (world_id, id, type, change_seq, name, folded_name, supertype, subtype, image_url,
           created_by, created_at, updated_at, size, body, tail)
         values ($1, $2, 'character', $3, '', '', '', '', '', $4, now(), now(), 1, '', '')`,
        [world, id, index + 1, createdBy],
      )
      if (hidden) {
        await database.query(
          `insert into element.marks (world_id, id, type, place, set_at) values ($1, $2, 'character', $3, now())`,
          [world, id, index + 100],
        )
      }
      await database.query(
        `insert into element.tombstones (world_id, change_seq, id, type, deleted_at, deleted_via, created_by, characters,
           roster_character, hidden)
         values ($1, $2, $3, 'character', now(), 'api', $4, $5, $6, $7)`,
        [world, index + 1, id, createdBy, characters, id === ownerCharacter || played.includes(id), hidden],
      )
      const links = [
        ...characters.map((target) => ['characters', target]),
        ...friends.map((target) => ['friends', target]),
      ]
      for (const [field, target] of links) {
        await database.query(
          'insert into element.links (world_id, target_id, field, source_id) values ($1, $2, $3, $4)',
          [world, target, field, id],
        )
      }
      for (const target of characters) {
        await database.query(
          `insert into element.appearances (world_id, character_id, id, type, change_seq)
           values ($1, $2, $3, 'character', $4)`,
          [world, target, id, index + 1],
        )
      }
    }
  }
})
