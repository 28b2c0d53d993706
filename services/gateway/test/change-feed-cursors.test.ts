import { randomUUID } from 'node:crypto'
import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from '@worlds/domain/cursor'
import { type System, startSystem } from '@worlds/testkit/system'
import pg from 'pg'
import { type Body, errorOf, expectBody, expectRefusal, newOwner, newReader, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const since = (cursor: string) => own.get(`/api/v2/changes?since=${encodeURIComponent(cursor)}`)
const feed = async (cursor = '0'): Promise<Body> => expectBody(await since(cursor), 200)
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `N${index}` }))

function opened(cursor: string): FeedCursor {
  const parts = decodeFeedCursor(cursor)
  if (parts === null) throw new Error(`${cursor} is no cursor`)
  return parts
}

/** The same cursor as a contributor would have it. */
function threePart(cursor: string): string {
  return encodeFeedCursor({ ...opened(cursor), view: { epoch: 1, membership: randomUUID() } })
}

function expectResync({ status, body }: Body, reason: string): void {
  expect({ status, body }).toEqual({ status: 409, body: { error: { ...errorOf('resync_required'), reason }, reason } })
}

describe("the owner's cursors", () => {
  it('[CF-028] have two parts, on every page and at the head', async () => {
    await own.seed('character', numbered(3))
    const pages = ['', '?limit=1', '?head=true'].map((query) => own.get(`/api/v2/changes${query}`))
    for (const { body } of await Promise.all(pages)) {
      expect(body.cursor).toMatch(/^[\w-]+$/)
      expect(opened(body.cursor).view).toBeNull()
    }
  })

  it('[CF-028] serve the read keys of the owner too', async () => {
    await own.seed('character', numbered(3))
    const reader = await newReader(system, own)
    const { cursor } = expectBody(await reader.get('/api/v2/changes?limit=1'), 200)
    expect((await feed(cursor)).changes).toHaveLength(2)
  })

  it('[CF-043][CF-046] of three parts are refused, and since=0 goes on', async () => {
    await own.seed('character', numbered(2))
    const { cursor } = await feed()
    expectResync(await since(threePart(cursor)), 'role')
    const again = await feed()
    expect([again.changes.length, again.cursor]).toEqual([2, cursor])
  })

  it('[CF-043] of three parts are refused to a read key of the owner', async () => {
    await own.make('character')
    const { cursor } = await feed()
    const reader = await newReader(system, own)
    expectResync(await reader.get(`/api/v2/changes?since=${threePart(cursor)}`), 'role')
  })

  it('[CF-003] of another world, or altered, never were cursors', async () => {
    const other = await newOwner(system)
    await other.make('character')
    const { cursor: theirs } = expectBody(await other.get('/api/v2/changes'), 200)
    const { cursor } = await feed()
    await own.make('character')
    const { next_cursor } = expectBody(await own.get('/api/v2/character?limit=1'), 200)
    expect(next_cursor).toBeNull()
    for (const bad of [theirs, `${cursor}A`, cursor.slice(1), cursor.toLowerCase(), threePart(theirs)]) {
      expectRefusal(await since(bad), 422, 'invalid_request', 'since')
    }
  })

  it('[CF-003] of a list are none of the feed', async () => {
    await own.seed('character', numbered(2))
    const { next_cursor } = expectBody(await own.get('/api/v2/character?limit=1'), 200)
    expectRefusal(await since(next_cursor), 422, 'invalid_request', 'since')
    const { cursor } = await feed()
    expectRefusal(await own.get(`/api/v2/character?cursor=${cursor}`), 422, 'invalid_request', 'cursor')
  })
})

describe('a world restored to an earlier state', () => {
  let cursor: string

  /** As a backup of place 2 would be put back. */
  async function restore(timelines: number): Promise<void> {
    const client = new pg.Client({ connectionString: system.databaseUrl })
    await client.connect()
    try {
      await client.query('begin')
      const late = 'select e.id from element.elements e where e.world_id = $1 and e.change_seq > 2'
      await client.query(`delete from element.element_ids where id in (${late})`, [own.world])
      await client.query('delete from element.elements where world_id = $1 and change_seq > 2', [own.world])
      const lower = 'update element.world_heads set head = 2, timeline = timeline + $2 where world_id = $1'
      await client.query(lower, [own.world, timelines])
      await client.query('commit')
    } finally {
      await client.end()
    }
  }
  beforeEach(async () => {
    await own.seed('character', numbered(5))
    cursor = (await feed()).cursor
  })

  it.each([0, 1])(
    '[CF-025] shows a lower head to an old cursor, and no changes (timelines raised by %i)',
    async (raised) => {
      await restore(raised)
      expect(await feed(cursor)).toEqual({
        cursor,
        has_more: false,
        head: 2,
        epoch: null,
        epoch_reason: null,
        changes: [],
      })
      const full = await feed()
      expect([full.head, full.changes.length]).toEqual([2, 2])
      const { id, change_seq } = await own.make('character')
      expect(change_seq).toBe(3)
      expect((await feed(full.cursor)).changes.map((record: Body) => record.id)).toEqual([id])
      expect(await feed(cursor)).toMatchObject({ cursor, head: 3, changes: [] })
    },
  )

  it('[CF-025] answers an old cursor of three parts alike', async () => {
    const old = threePart(cursor)
    await restore(1)
    expect(await feed(old)).toMatchObject({ cursor: old, has_more: false, head: 2, changes: [] })
  })

  it('[CF-025] refuses an old cursor once the new timeline has passed it', async () => {
    await restore(1)
    const restored = await feed()
    await own.seed('character', numbered(4))
    expectResync(await since(cursor), 'view')
    expect((await feed()).changes).toHaveLength(6)
    expect((await feed(restored.cursor)).changes).toHaveLength(4)
  })

  it('[CF-025] answers a position beyond head whatever it is', async () => {
    const beyond = encodeFeedCursor({ ...opened(cursor), seq: 1_000_000 })
    expect(await feed(beyond)).toMatchObject({ cursor: beyond, has_more: false, head: 5, changes: [] })
  })
})

describe('head=true', () => {
  it('[CF-007][CF-039] never refuses: it starts afresh whatever since says', async () => {
    await own.make('character')
    const { cursor } = await feed()
    const { status, body } = await own.get(`/api/v2/changes?head=true&since=${threePart(cursor)}`)
    expect([status, body.cursor, body.head]).toEqual([200, cursor, 1])
  })
})
