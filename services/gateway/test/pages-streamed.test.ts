/** Pages larger than what is sent ahead of a client: they arrive whole, with the length that was announced. */
import { replyWindow } from '@worlds/runtime/reply-parts'
import type { ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
/** Of about 3.2 MB together. */
let ids: string[]

const text = (index: number, bytes: number) => `${index} ${'dä😀'.repeat(bytes / 7)}`

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  ids = []
  for (let index = 0; index < 8; index += 1) {
    ids.push((await own.make('event', { name: `Event ${index}`, description: text(index, 400_000) })).id)
  }
})
afterAll(() => system.stop())

/** Expects a reply larger than the window, whose length is as announced. */
function expectWhole(reply: ApiReply): Body {
  const body = expectBody(reply, 200)
  const bytes = Buffer.byteLength(reply.text)
  expect(bytes).toBeGreaterThan(4 * replyWindow)
  expect(reply.headers.get('content-length')).toBe(String(bytes))
  return body
}

function expectEvents(rows: readonly Body[]): void {
  expect(rows.map(({ id }) => id)).toEqual(ids)
  expect(rows.every(({ description }, index) => description === text(index, 400_000))).toBe(true)
}

async function head(path: string): Promise<Response> {
  const response = await fetch(new URL(path, system.gateway), { method: 'HEAD', headers: { ...own.headers } })
  expect(await response.text()).toBe('')
  return response
}

const paths = ['/api/v2/event?limit=1000', '/api/v2/changes?limit=1000', '/api/worldapi/event/']

describe('a page larger than what is sent ahead', () => {
  it('[LS-004][LS-005] arrives whole as a list, as a feed and as a classic list', async () => {
    const list = expectWhole(await own.get('/api/v2/event?limit=1000'))
    expect([list.has_more, list.next_cursor]).toEqual([false, null])
    expectEvents(list.data)
    const feed = expectWhole(await own.get('/api/v2/changes?limit=1000'))
    expectEvents(feed.changes.flatMap(({ element }: Body) => (element?.type === 'event' ? [element] : [])))
    expectEvents(expectWhole(await own.get('/api/worldapi/event/')))
  })

  it('is announced by HEAD as it is sent by GET, whose slot it gives back', async () => {
    // More than there are slots.
    for (let turn = 0; turn < 30; turn += 1) {
      for (const path of paths) expect((await head(path)).status).toBe(200)
    }
    for (const path of paths) {
      const { headers } = await own.get(path)
      expect((await head(path)).headers.get('content-length')).toBe(headers.get('content-length'))
    }
  })

  it('arrives whole to many at once', async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, (_, index) => own.get(paths[index % 3] as string)))
    for (const [index, reply] of replies.entries()) {
      expectWhole(reply)
      expect(reply.text === replies[index % 3]?.text).toBe(true)
    }
  })

  it('delays nobody when its clients leave in the middle of it', async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      const abort = new AbortController()
      const { signal } = abort
      const response = await fetch(new URL(paths[turn % 3] as string, system.gateway), {
        headers: { ...own.headers },
        signal,
      })
      expect(response.status).toBe(200)
      await response.body?.getReader().read()
      abort.abort()
    }
    for (const path of paths) expectWhole(await own.get(path))
  })
})

describe('a list larger than a page', () => {
  it('[LS-012][LS-027][CL-003] is walked by pages, and is one array in the classic dialect', async () => {
    const made: string[] = []
    for (let index = 0; index < 5; index += 1) {
      made.push((await own.make('zone', { name: `Zone ${index}`, description: text(index, 2_300_000) })).id)
    }
    const walked: string[] = []
    const sizes: number[] = []
    for (let cursor = '', more = true; more; ) {
      const page = expectWhole(await own.get(`/api/v2/zone?limit=1000${cursor}`))
      walked.push(...page.data.map(({ id }: Body) => id))
      sizes.push(page.data.length)
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
      more = page.has_more
    }
    expect([walked, sizes]).toEqual([made, [3, 2]])
    // Too long to be known before it is read: it is sent without a length.
    const classic = await own.get('/api/worldapi/zone/')
    expect(classic.headers.get('content-length')).toBeNull()
    const rows = expectBody(classic, 200)
    expect(rows.map(({ id }: Body) => id)).toEqual(made)
    expect(rows.every(({ description }: Body, index: number) => description === text(index, 2_300_000))).toBe(true)
  })
})
