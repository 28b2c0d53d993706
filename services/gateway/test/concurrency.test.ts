import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld } from '@worlds/testkit/world'

interface Change {
  readonly op: 'upsert' | 'delete'
  readonly id: string
  readonly change_seq: number
  readonly element?: { readonly change_seq: number }
}

describe.each([
  { name: 'one element process', elements: 1, writers: 16 },
  { name: 'two element processes on one database', elements: 2, writers: 32 },
])('many writers of one world, $name', ({ elements, writers }) => {
  let system: System
  let owner: Api
  beforeAll(async () => {
    const env = { gateway: { REQUEST_BUDGET: '1000000' } }
    system = await startSystem({ elements, gateways: elements, pinGateways: true, env })
    owner = api(system.gateway, (await newWorld(system)).headers)
  })
  afterAll(() => system.stop())

  it('[CF-055][CF-056] a follower misses nothing and places come without gaps, strictly increasing', async () => {
    const { headers } = await newWorld(system)
    const doors = writersOf(system, { ...headers }, elements)
    let writing = true
    const following = follow(api(system.gateway, { ...headers }), () => writing)
    const places = (
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          const door = doors[writer % doors.length] as Api
          const taken: number[] = []
          for (let turn = 0; turn < 25; turn += 1) {
            const made = await door.post('/api/v2/character', { name: `${writer}-${turn}` })
            expect(made.status).toBe(201)
            taken.push(made.body.change_seq)
            if (turn % 3 === 0) {
              const patched = await door.patch(`/api/v2/character/${made.body.id}`, { level: turn })
              expect(patched.status).toBe(200)
              taken.push(patched.body.change_seq)
            }
            if (turn % 5 === 0) {
              expect((await door.delete(`/api/v2/character/${made.body.id}`)).status).toBe(204)
            }
          }
          return taken
        }),
      )
    ).flat()
    writing = false
    const seen = await following
    const head = (await owner.get('/api/v2/changes?head=true')).body.head
    expect(head).toBe(0)

    const walked = await foldWalk(api(system.gateway, { ...headers }))
    expect(new Set(places).size).toBe(places.length)
    expect(seen.folded).toEqual(walked.folded)
    expect(seen.head).toBe(places.length + writers * 5)
    expect(walked.head).toBe(seen.head)
  })

  it('[WR-012] 64 creates of one id at once make one element', async () => {
    const { headers } = await newWorld(system)
    const doors = writersOf(system, { ...headers }, elements)
    const id = randomUUID()
    const replies = await all(64, (n) =>
      (doors[n % doors.length] as Api).post('/api/v2/character', { id, name: `${n}` }),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status, body }) => status === 409 && body.error.code === 'id_conflict')).toHaveLength(63)
  })

  it('[ID-001][ID-004][ID-005] 64 creates with one Idempotency-Key at once make one element and 63 replays', async () => {
    const { headers } = await newWorld(system)
    const doors = writersOf(system, { ...headers, 'Idempotency-Key': 'once' }, elements)
    const replies = await all(64, (n) => (doors[n % doors.length] as Api).post('/api/v2/character', { name: 'Ann' }))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]?.status).toBe(201)
    expect(replies.filter((reply) => reply.headers.get('idempotent-replay') === 'true')).toHaveLength(63)
    const list = await api(system.gateway, { ...headers }).get('/api/v2/character')
    expect(list.body.data).toHaveLength(1)
  })

  it('[LK-022][LK-024] 64 link additions to one element at once come to their union', async () => {
    const { headers } = await newWorld(system)
    const doors = writersOf(system, { ...headers }, elements)
    const first = doors[0] as Api
    const ids = Array.from({ length: 64 }, () => randomUUID())
    const items = [...ids, randomUUID()].map((id) => ({ type: 'character', element: { id, name: 'one' } }))
    const hub = items.at(-1)?.element.id
    expect((await first.post('/api/v2/bulk', { items })).body.errors).toBe(false)
    const replies = await all(64, (n) =>
      (doors[n % doors.length] as Api).post(`/api/v2/character/${hub}/links/friends`, { add: [ids[n], ids[0]] }),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    const { body } = await first.get(`/api/v2/character/${hub}`)
    expect([...body.friends].sort()).toEqual([...ids].sort())
  })

  it('[WR-029] a delete that races links to it never leaves a dangling id', async () => {
    const { headers } = await newWorld(system)
    const doors = writersOf(system, { ...headers }, elements)
    const first = doors[0] as Api
    for (let round = 0; round < 8; round += 1) {
      const target = (await first.post('/api/v2/character', { name: 'target' })).body.id
      const carriers = (await all(6, () => first.post('/api/v2/character', { name: 'carrier' }))).map(
        ({ body }) => body.id,
      )
      const links = carriers.map((id, n) =>
        (doors[n % doors.length] as Api).post(`/api/v2/character/${id}/links/friends`, { add: [target] }),
      )
      const gone = (doors.at(-1) as Api).delete(`/api/v2/character/${target}`)
      for (const { status } of await Promise.all(links)) expect([200, 400]).toContain(status)
      expect((await gone).status).toBe(204)
      for (const id of carriers) expect((await first.get(`/api/v2/character/${id}`)).body.friends).toEqual([])
    }
  })
})

/** One way in per element process: each gateway calls a process of its own. */
function writersOf(system: System, headers: Record<string, string>, count: number): Api[] {
  return system.gateways.slice(0, count).map((gateway) => api(gateway, headers))
}

function all<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)))
}

async function follow(reader: Api, goesOn: () => boolean) {
  const folded = new Map<string, number>()
  let since = '0'
  let last = 0
  for (;;) {
    const stays = goesOn()
    const { status, body } = await reader.get(`/api/v2/changes?limit=7&since=${since}`)
    expect(status).toBe(200)
    last = fold(folded, body.changes, last)
    since = body.cursor
    if (!stays && !body.has_more) return { folded, head: body.head as number }
  }
}

async function foldWalk(reader: Api) {
  return follow(reader, () => false)
}

/** Applies changes in order and checks that their places ascend. */
function fold(folded: Map<string, number>, changes: readonly Change[], after: number): number {
  let last = after
  for (const { op, id, change_seq } of changes) {
    expect(change_seq).toBeGreaterThan(last)
    last = change_seq
    if (op === 'upsert') folded.set(id, change_seq)
    else folded.delete(id)
  }
  return last
}
