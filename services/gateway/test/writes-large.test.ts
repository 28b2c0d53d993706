/** Writes whose stored elements are more than is loaded at once: they come to what small ones come to. */
import { api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, expectNothingWritten, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const large = 'x'.repeat(2_400_000)

async function makeLarge(count: number, fields: Body = {}, type = 'event'): Promise<Body[]> {
  const made: Body[] = []
  for (let index = 0; index < count; index += 1) {
    made.push(await own.make(type, { name: `Large ${index}`, description: large, ...fields }))
  }
  return made
}

/** The feed's records after a place, over as many pages as their bytes make. */
async function changesSince(since: number): Promise<Body[]> {
  const all: Body[] = []
  for (let cursor = '0', more = true; more; ) {
    const page = expectBody(await own.get(`/api/v2/changes?limit=1000&since=${encodeURIComponent(cursor)}`), 200)
    all.push(...page.changes)
    cursor = page.cursor
    more = page.has_more
  }
  return all.filter(({ change_seq }) => change_seq > since)
}

describe('a bulk write that names large elements', () => {
  it('[BK-004][BK-012][BK-013][BK-014] replaces all of them, once by key', async () => {
    const friend = await own.make('character')
    const made = await makeLarge(6, { characters: [friend.id] })
    const before = await own.head()
    const items = [
      ...made.map(({ id }, index) => ({ type: 'event', element: { id, name: `Small ${index}` } })),
      { type: 'event', element: { name: 'New', characters: [friend.id] } },
      { type: 'event', element: { id: made[0]?.id, name: 'Twice' } },
      { type: 'event', element: { name: 'Bad', characters: [own.world] } },
    ]
    const key = { 'Idempotency-Key': 'large-1' }
    const reply = await own.post('/api/v2/bulk', { items }, key)
    const body = expectBody(reply, 200)
    expect(body.items.map(({ status }: Body) => status)).toEqual([200, 200, 200, 200, 200, 200, 201, 200, 400])
    expect(body.items[1].created_at).toBe(made[1]?.created_at)
    for (const [index, { id }] of made.entries()) {
      const name = index === 0 ? 'Twice' : `Small ${index}`
      expect(await own.read('event', id)).toMatchObject({ name, description: '', characters: [] })
    }
    const linked = expectBody(await own.get(`/api/v2/event?characters=${friend.id}`), 200).data
    expect(linked.map(({ name }: Body) => name)).toEqual(['New'])
    // One row of the feed for each element, and no place left out.
    const changes = await changesSince(before)
    expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length)
    expect(changes.at(-1)?.change_seq).toBe(await own.head())
    const again = await own.post('/api/v2/bulk', { items }, key)
    expect([again.text, again.headers.get('idempotent-replay')]).toEqual([reply.text, 'true'])
    expect(await changesSince(before)).toEqual(changes)
  })

  it('[BK-019][BK-020] writes nothing where it is atomic and an item fails', async () => {
    const made = await makeLarge(3)
    const items = [
      ...made.map(({ id }) => ({ type: 'event', element: { id, name: 'Small' } })),
      { type: 'event', element: { name: 'Bad', characters: [own.world] } },
    ]
    const before = (await own.get('/api/v2/changes?head=true')).body
    const body = expectBody(await own.post('/api/v2/bulk', { items, atomic: true }), 200)
    expect([body.errors, body.items.map(({ status }: Body) => status)]).toEqual([true, [200, 200, 200, 400]])
    expect((await own.get('/api/v2/changes?head=true')).body).toEqual(before)
  })

  it('[BK-015] keeps a contributor from what others made, and the links that it does not see', async () => {
    const { headers } = await addMember(system, own, 'contributor')
    const member = api(system.gateway, headers)
    const hidden = await own.make('character')
    const mine: Body[] = []
    for (let index = 0; index < 3; index += 1) {
      const fields = { name: 'Mine', description: large, characters: [hidden.id] }
      mine.push(expectBody(await member.post('/api/v2/event', fields), 201))
    }
    const [others] = await makeLarge(1)
    expectBody(await own.put(`/api/v2/character/${hidden.id}/hidden`), 204)
    const items = [...mine, others].map((one) => ({ type: 'event', element: { id: one?.id, name: 'Small' } }))
    const body = expectBody(await member.post('/api/v2/bulk', { items }), 200)
    expect(body.items.map(({ status }: Body) => status)).toEqual([200, 200, 200, 403])
    for (const { id } of mine) expect((await own.read('event', id)).characters).toEqual([hidden.id])
  })
})

describe('a deletion', () => {
  it('[WR-029] takes the element out of large ones that link to it, and is told last', async () => {
    const gone = await own.make('character')
    const kept = await own.make('character')
    const carriers = await makeLarge(4, { characters: [gone.id, kept.id] })
    const before = await own.head()
    expectBody(await own.delete(`/api/v2/character/${gone.id}`), 204)
    for (const { id } of carriers) {
      expect(await own.read('event', id)).toMatchObject({ characters: [kept.id], description: large })
    }
    const changes = await changesSince(before)
    expect(changes.map(({ op }) => op)).toEqual(['upsert', 'upsert', 'upsert', 'upsert', 'delete'])
    expect(changes.map(({ change_seq }) => change_seq)).toEqual([1, 2, 3, 4, 5].map((by) => before + by))
  })
})

describe('a stored element', () => {
  it('is at most 2.5 MB, also when several changes make it grow', async () => {
    const [one] = await makeLarge(1)
    const path = `/api/v2/event/${one?.id}`
    const more = { consequences: 'y'.repeat(300_000) }
    await expectNothingWritten(own, () => own.patch(path, more), 422, 'invalid_request')
    expectBody(await own.patch(path, { consequences: 'y'.repeat(200_000) }), 200)
    const ids = Array.from({ length: 1_000 }, () => ({ name: 'Someone' }))
    const characters = await own.seed('character', ids)
    const add = await own.post(`${path}/links/characters`, { add: characters })
    expectRefusal(add, 422, 'invalid_request')
  })
})

describe('writes that come together', () => {
  it('[WR-019] are all done, however large what they change', async () => {
    const made = await makeLarge(5)
    const replies = await Promise.all(
      made.flatMap(({ id }) => [1, 2].map((year) => own.patch(`/api/v2/event/${id}`, { supertype: `Of ${year}` }))),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    for (const { id } of made) expect((await own.read('event', id)).description).toBe(large)
  })
})
