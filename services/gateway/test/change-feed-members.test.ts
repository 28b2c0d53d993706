import { decodeFeedCursor } from '@worlds/domain/cursor'
import type { Api, ApiReply } from '@worlds/testkit/api'
import { api } from '@worlds/testkit/api'
import { addMember, mintReadKey } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { newParty, type Party, refusal } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const changes = (by: Api, query = ''): Promise<ApiReply> => by.get(`/api/v2/changes${query}`)
const feed = async (by: Api, query = ''): Promise<Body> => expectBody(await changes(by, query), 200)
const parts = (cursor: string) => {
  const { view } = decodeFeedCursor(cursor) ?? {}
  return view === undefined ? 0 : view === null ? 2 : 3
}

function expectResync({ status, body }: ApiReply, reason: string): void {
  const error = { ...refusal('resync_required', 'since'), reason }
  expect({ status, body }).toEqual({ status: 409, body: { error, reason } })
}

/** Every page of a walk, each of `limit` records. */
async function walk(by: Api, limit: number): Promise<Body[]> {
  const pages: Body[] = []
  for (let since = ''; ; ) {
    const page = await feed(by, `?limit=${limit}${since}`)
    pages.push(page)
    if (!page.has_more) return pages
    since = `&since=${page.cursor}`
  }
}

const cut = [
  'contributor',
  'contributor seat',
  'read key of a contributor',
  'guest',
  'guest seat',
  'read key of a guest',
  'player',
] as const

describe.each(cut)('the feed of a %s', (name) => {
  let reader: Party
  beforeEach(async () => {
    reader = await newParty(system, own, name)
    const characters = [reader.character].filter((id) => id !== null)
    await own.seed(
      'narrative',
      ['a', 'b', 'c'].map((title) => ({ name: title, characters })),
    )
  })

  it('[CF-031][CF-032][CF-033] has cursors of three parts, which are no good to the owner', async () => {
    for (const query of ['', '?limit=1', '?head=true']) {
      const { cursor } = await feed(reader, query)
      expect(parts(cursor)).toBe(3)
      expectResync(await changes(own, `?since=${cursor}`), 'role')
    }
  })

  it('[CF-042] takes no cursor of two parts', async () => {
    const { cursor } = await feed(own)
    expectResync(await changes(reader, `?since=${cursor}`), 'role')
  })

  it('[CF-034][CF-035][CF-036][CF-037] carries the epoch and what last moved it on every page', async () => {
    const pages = [...(await walk(reader, 1)), await feed(reader, '?head=true'), await feed(reader, '?since=0')]
    expect(pages.length).toBeGreaterThan(4)
    for (const page of pages) {
      expect(Object.keys(page)).toEqual(['cursor', 'has_more', 'head', 'epoch', 'epoch_reason', 'changes'])
      expect([page.epoch, page.epoch_reason]).toEqual([1, null])
    }
  })

  it('[CF-009] has full pages whatever is hidden between, and ends with the last that it sees', async () => {
    const characters = [reader.character].filter((id) => id !== null)
    const ids = await own.seed(
      'event',
      Array.from({ length: 9 }, (_, n) => ({ name: `${n}`, characters })),
    )
    for (const n of [0, 1, 4, 8]) expect((await own.put(`/api/v2/event/${ids[n]}/hidden`)).status).toBe(204)
    const pages = await walk(reader, 2)
    const records = pages.flatMap((page) => page.changes)
    expect(records).toEqual((await feed(reader)).changes)
    expect(pages.map((page) => page.changes.length)).toEqual(pages.map((_, n) => Math.min(2, records.length - 2 * n)))
    const seen = records.filter((record: Body) => record.op === 'upsert' && record.type === 'event')
    expect(seen.map((record: Body) => record.id)).toEqual([2, 3, 5, 6, 7].map((n) => ids[n]))
  })

  it('[CF-039] goes on from the cursor of head=true', async () => {
    const tip = await feed(reader, '?head=true')
    expect([tip.changes, tip.has_more, tip.head]).toEqual([[], false, await own.head()])
    expect(await feed(reader, `?since=${tip.cursor}`)).toEqual(tip)
    const characters = [reader.character].filter((id) => id !== null)
    const { id } = await own.make('narrative', { characters })
    expect((await feed(reader, `?since=${tip.cursor}`)).changes.map((record: Body) => record.id)).toEqual([id])
  })

  it('[CF-012][CF-015] begins with every element as it reads it', async () => {
    const unseen = await own.make('location')
    await own.make('narrative', { locations: [unseen.id], characters: [reader.character].filter((id) => id !== null) })
    expect((await own.put(`/api/v2/location/${unseen.id}/hidden`)).status).toBe(204)
    const full = await feed(reader)
    expect(await feed(reader, '?since=0')).toEqual(full)
    const upserts = full.changes.filter((record: Body) => record.op === 'upsert')
    expect(upserts.length).toBeGreaterThanOrEqual(4)
    for (const { type, id, element } of upserts)
      expect(element).toEqual(expectBody(await reader.get(`/api/v2/${type}/${id}`), 200))
  })
})

describe.each(['co_builder', 'co_builder seat'] as const)('the feed of a %s', (name) => {
  it('[CF-029][CF-030] is the owner’s: its cursors have two parts and go on for either', async () => {
    const builder = await newParty(system, own, name)
    const ids = await own.seed('event', [{ name: 'a' }, { name: 'b' }])
    expect((await own.put(`/api/v2/event/${ids[0]}/hidden`)).status).toBe(204)
    for (const query of ['', '?limit=1', '?head=true']) {
      const [theirs, mine] = [await feed(builder, query), await feed(own, query)]
      expect(theirs).toEqual(mine)
      expect([parts(theirs.cursor), theirs.epoch, theirs.epoch_reason]).toEqual([2, null, null])
      const since = `?since=${theirs.cursor}`
      expect(await feed(own, since)).toEqual(await feed(builder, since))
    }
  })

  it('[CF-017] signs the deletions of its members, and none of the owner', async () => {
    const builder = await newParty(system, own, name)
    const ids = await own.seed('event', [{ name: 'a' }, { name: 'b' }])
    const { cursor } = await feed(own)
    expect((await builder.delete(`/api/v2/event/${ids[0]}`)).status).toBe(204)
    expect((await own.delete(`/api/v2/event/${ids[1]}`)).status).toBe(204)
    const { changes: told } = await feed(builder, `?since=${cursor}`)
    expect(told.map((record: Body) => [record.id, record.deleted_by])).toEqual([
      [ids[0], builder.membership],
      [ids[1], null],
    ])
  })
})

describe('the keys of one member', () => {
  it.each(['contributor', 'guest'] as const)('[CF-054] share its cursors: %s', async (role) => {
    const { headers, token } = await addMember(system, own, role)
    const [write, read] = [
      api(system.gateway, headers),
      api(system.gateway, { 'API-Key': await mintReadKey(system, own.world, token) }),
    ]
    const { cursor } = await feed(write)
    const { id } = expectBody(await write.post('/api/v2/event', { name: 'E' }), 201)
    const later = await feed(read, `?since=${cursor}`)
    expect(later.changes.map((record: Body) => record.id)).toEqual([id])
    expect(await feed(write, `?since=${cursor}`)).toEqual(later)
  })

  it('[CF-044] are of no use to another member: it begins anew', async () => {
    const [one, other] = [await newParty(system, own, 'contributor'), await newParty(system, own, 'contributor seat')]
    const { cursor } = await feed(one)
    expectResync(await changes(other, `?since=${cursor}`), 'view')
    expect((await feed(other)).changes).toHaveLength(1)
  })
})
