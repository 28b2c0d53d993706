/**
 * Random worlds with readers of every kind, random commands, and after each of them what every
 * reader sees on every route, and what its feed has told it, against the model.
 */
import type { Api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import fc from 'fast-check'
import { command, run, type Stage } from './model/commands'
import { type Body, Follower } from './model/follower'
import { fields, type Model, type ModelElement, type Reader, type Type } from './model/model'
import { bodiesOf, newStage, plain } from './model/stage'

const runs = Number(process.env.MODEL_RUNS ?? 8)
const types = Object.keys(fields) as Type[]

describe('what readers see', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({
      elements: 2,
      env: { gateway: { REQUEST_BUDGET: '1000000000', UNKNOWN_CREDENTIALS_PER_MINUTE: '1000000' } },
    })
  })
  afterAll(() => system.stop())

  it(
    '[RL-001][RL-007][RL-013][HD-034][CF-015][CF-044][CF-047] equals the model after every command, and follows by the feed',
    async () => {
      const plan = fc.array(fc.record({ command, gap: fc.nat(99), limit: fc.integer({ min: 1, max: 8 }) }), {
        minLength: 20,
        maxLength: 30,
        size: 'max',
      })
      await fc.assert(
        fc.asyncProperty(plan, async (steps) => {
          const stage = await newStage(system)
          const followers = new Map<string | null, Follower>()
          for (const [index, { command: sent, gap, limit }] of steps.entries()) {
            const { got, expected } = await run(stage, sent)
            expect([sent, got]).toEqual([sent, expected])
            for (const [at, reader] of stage.model.readers.entries()) {
              if (reader.status === 'removed') continue
              const turn = gap + index * 7 + at * 13
              await checkReader(stage, reader, turn)
              const follower = followers.get(reader.id) ?? new Follower(stage.apis.get(reader.id) as Api)
              followers.set(reader.id, follower)
              const isLast = index === steps.length - 1
              if (turn % 3 !== 0 && !isLast) continue
              const isComplete = await follower.poll(limit, isLast ? 1000 : 1 + (turn % 5))
              if (isComplete) await checkCopy(stage, reader, follower)
            }
          }
        }),
        { numRuns: runs, endOnFailure: true },
      )
    },
    60_000 + runs * 30_000,
  )
})

/** Every list, some elements by themselves, filters, the roster, `/me` and the world's record. */
async function checkReader(stage: Stage, reader: Reader, turn: number): Promise<void> {
  const { model, apis, ids } = stage
  const own = apis.get(reader.id) as Api
  const view = model.view(reader)
  const type = types[turn % types.length] as Type
  const seen = await bodiesOf(own, type)
  const ofType = [...view.values()].filter((element) => element.type === type)
  expect(sorted(seen.map(plain))).toEqual(sorted(ofType))
  await checkDoors(own, type, seen, turn)

  const id = ids[turn % ids.length] as string
  const wanted = model.elements.get(id)?.type ?? 'location'
  const { status, body } = await own.get(`/api/v2/${wanted}/${id}`)
  expect([status, status === 200 ? plain(body) : null]).toEqual(view.has(id) ? [200, view.get(id)] : [404, null])

  const named = await bodiesOf(own, 'narrative', `&characters=${id}`)
  const naming = [...view.values()].filter(({ links }) => links.characters?.includes(id))
  expect(sorted(named.map(plain))).toEqual(sorted(naming))

  const expanded = await bodiesOf(own, 'character', '&expand=friends,location')
  for (const one of expanded) {
    const { friends, location } = one as unknown as { friends: { id: string }[]; location: { id: string } | null }
    const { links } = view.get(one.id) as ModelElement
    expect([friends.map((stub) => stub.id), location?.id ?? null]).toEqual([links.friends, links.location?.[0] ?? null])
  }
  await checkRoll(model, own, reader)
}

/** The other doors show of a category what its list does: the classic list in its order, search what its names hold. */
async function checkDoors(own: Api, type: Type, seen: Body[], turn: number): Promise<void> {
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
  const classic = await own.get(`/api/worldapi/${type}/?offset=${turn % 3}&limit=50`)
  expect([classic.status, idsOf(classic.body)]).toEqual([200, idsOf(seen.slice(turn % 3, (turn % 3) + 50))])
  for (const one of classic.body) {
    const body = seen.find(({ id }) => id === one.id) as Body
    for (const [field, { multi }] of Object.entries(fields[type])) {
      if (field === 'element_id') continue
      expect([field, multi ? idsOf(one[field]) : (one[field]?.id ?? null)]).toEqual([field, body[field]])
    }
  }
  const q = 'xse'.charAt(turn % 3)
  const search = await own.get(`/api/v2/search?q=${q}&type=${type}&limit=100`)
  const named = seen.filter(({ name }) => String(name).toLowerCase().includes(q))
  expect([search.status, idsOf(search.body.data).sort()]).toEqual([200, idsOf(named).sort().slice(0, 100)])
  const metadata = await own.get(`/api/metadata/${type}/`)
  const used = metadata.body.supertypes.reduce((sum: number, row: { used: number }) => sum + row.used, 0)
  expect([metadata.status, used]).toEqual([200, seen.filter(({ supertype }) => supertype !== '').length])
}

async function checkRoll(model: Model, own: Api, reader: Reader): Promise<void> {
  const [me, roster, world] = await Promise.all([
    own.get('/api/v2/me'),
    own.get('/api/v2/members'),
    own.get('/api/v2/world'),
  ])
  const character = model.characterSeen(reader, reader.character)
  expect(me.body).toMatchObject({ role: reader.role, membership: reader.id, character })
  const [owner] = model.readers as [Reader]
  expect(world.body.owner_character).toBe(model.characterSeen(reader, owner.character))
  const inOrder = [...model.readers].sort((a, b) => Number(a.status === 'removed') - Number(b.status === 'removed'))
  const rows = inOrder.map((other) => ({
    id: other.id,
    kind: other.kind,
    role: other.role,
    character: model.characterSeen(reader, other.character),
    status: other.status,
  }))
  expect(roster.body.data.map(({ name: _, ...row }: { name?: string }) => row)).toEqual(rows)
}

/** What a follower holds is what a fresh walk gives, byte for byte; what the model says; and what a GET answers. */
async function checkCopy({ model, apis }: Stage, reader: Reader, { copy, loose }: Follower): Promise<void> {
  const fresh = new Follower(apis.get(reader.id) as Api)
  expect(await fresh.poll(1000, 10)).toBe(true)
  expect(fresh.resyncs).toBe(0)
  const view = model.view(reader)
  expect([...fresh.copy.keys()].sort()).toEqual([...view.keys()].sort())
  for (const [id, body] of fresh.copy) {
    expect(plain(body)).toEqual(view.get(id))
    expect([reader.role, copy.get(id)]).toEqual([reader.role, body])
  }
  for (const id of copy.keys())
    if (!loose.has(id)) expect([reader.role, id, fresh.copy.has(id)]).toEqual([reader.role, id, true])
}

function sorted(elements: readonly ModelElement[]): ModelElement[] {
  return [...elements].sort((a, b) => (a.id < b.id ? -1 : 1))
}
