import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, categoryOf, expectNothingWritten, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
let home: string
let guild: string
let people: string[]
const bad = 'invalid_link'

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  home = (await own.make('location')).id
  guild = (await own.make('institution')).id
  people = await own.seed(
    'character',
    ['Bob', 'Cid', 'Dan'].map((name) => ({ name })),
  )
})
afterAll(() => system.stop())

describe('link fields', () => {
  it('[LK-002] are stored on one side: the target neither shows nor notices them', async () => {
    const target = await own.make('location')
    const friend = await own.make('character')
    await own.make('character', { location: target.id, friends: [friend.id] })
    expect(await own.read('location', target.id)).toEqual(target)
    expect(await own.read('character', friend.id)).toEqual(friend)
  })

  it('[LK-003][LK-004] read as an id or null, and as a list of ids', async () => {
    expect(await own.make('character')).toMatchObject({ location: null, friends: [], institutions: [] })
    const links = { location: home, friends: [people[1], people[0]], institutions: [guild] }
    expect(await own.make('character', links)).toMatchObject(links)
  })

  it('[LK-004] hold an id once, in canonical lower case', async () => {
    const [bob = ''] = people
    const { friends, location } = await own.make('character', {
      friends: [bob, bob.toUpperCase()],
      location: home.toUpperCase(),
    })
    expect([friends, location]).toEqual([[bob], home])
  })

  it.each([
    ['LK-006', 'location', () => home, () => people[0]],
    ['LK-007', 'friends', () => [people[0]], () => [home]],
    ['LK-008', 'institutions', () => [guild], () => [people[0]]],
  ])('[%s] character.%s takes its own target alone', async (_id, field, good, wrong) => {
    const { id } = await own.make('character')
    const path = `/api/v2/character/${id}`
    const reply = await own.patch(path, { [field]: good() })
    expect([reply.status, reply.body[field]]).toEqual([200, good()])
    await expectNothingWritten(own, () => own.patch(path, { [field]: wrong() }), 400, bad, field)
  })

  it.each([
    ['LK-009', 'collective'],
    ['LK-010', 'construct'],
    ['LK-011', 'event'],
    ['LK-012', 'narrative'],
    ['LK-013', 'relation'],
    ['LK-014', 'title'],
  ])('[%s] %s.characters takes Characters alone', async (_id, type) => {
    expect((await own.make(type, { characters: people })).characters).toEqual(people)
    const write = () => own.post(`/api/v2/${type}`, { name: 'A', characters: [people[0], home] })
    await expectNothingWritten(own, write, 400, bad, 'characters')
  })

  it('[LK-016] narrative.narrator is a single link to a Character', async () => {
    const { id } = await own.make('narrative', { narrator: people[0] })
    expect((await own.read('narrative', id)).narrator).toBe(people[0])
    const write = () => own.post('/api/v2/narrative', { name: 'A', narrator: home })
    await expectNothingWritten(own, write, 400, bad, 'narrator')
  })

  it('[LK-007] an element may link to itself', async () => {
    const id = randomUUID()
    expect((await own.make('character', { id, friends: [id] })).friends).toEqual([id])
  })

  it('[LK-005] have no suffix', async () => {
    const { id } = await own.make('character')
    for (const field of ['location_id', 'friends_ids']) {
      const write = () => own.patch(`/api/v2/character/${id}`, { [field]: null })
      await expectNothingWritten(own, write, 422, 'invalid_request', field)
    }
  })
})

describe('the link of a pin', () => {
  it('[LK-001] names a category and an element of it', async () => {
    const link = { element_type: 'location', element_id: home }
    expect(await own.make('pin', link)).toMatchObject(link)
  })

  it.each([
    ['an element of another category', () => ({ element_type: 'zone', element_id: home })],
    ['an element that does not exist', () => ({ element_type: 'location', element_id: randomUUID() })],
  ])('[LK-001] refuses %s', async (_what, link) => {
    const write = () => own.post('/api/v2/pin', { name: 'A', ...link() })
    await expectNothingWritten(own, write, 400, bad, 'element_id')
  })

  it('[LK-001] refuses an id without a category, and what is no category', async () => {
    const alone = await own.post('/api/v2/pin', { name: 'A', element_id: home })
    expectRefusal(alone, 422, 'invalid_request')
    const other = await own.post('/api/v2/pin', { name: 'A', element_type: 'dragon', element_id: home })
    expectRefusal(other, 422, 'invalid_request', 'element_type')
  })

  it('[LK-001] is checked as a whole when one half of it is patched', async () => {
    const { id } = await own.make('pin', { element_type: 'location', element_id: home })
    const zone = () => own.patch(`/api/v2/pin/${id}`, { element_type: 'zone' })
    await expectNothingWritten(own, zone, 400, bad, 'element_id')
    const other = await own.make('location')
    const { status, body } = await own.patch(`/api/v2/pin/${id}`, { element_id: other.id })
    expect([status, body.element_type, body.element_id]).toEqual([200, 'location', other.id])
    const none = await own.patch(`/api/v2/pin/${id}`, { element_type: '', element_id: null })
    expect([none.status, none.body.element_type, none.body.element_id]).toEqual([200, '', null])
  })

  it('[LK-001] reads as none when only the category was sent', async () => {
    expect(await own.make('pin', { element_type: 'location' })).toMatchObject({ element_type: '', element_id: null })
  })
})

describe('a link operation', () => {
  let id: string
  const friends = (body: Body, more?: Record<string, string>) =>
    own.post(`/api/v2/character/${id}/links/friends`, body, more)
  beforeEach(async () => {
    id = (await own.make('character', { friends: [people[0]] })).id
  })

  it('[LK-017] answers 200 with the full element and takes one place', async () => {
    const head = await own.head()
    const { status, body } = await friends({ add: [people[1]], remove: [people[0]] })
    expect([status, body.friends, body.change_seq]).toEqual([200, [people[1]], head + 1])
    expect(body).toEqual(await own.read('character', id))
  })

  it.each([
    ['add', () => ({ add: [people[1]] }), () => [people[0], people[1]]],
    ['remove', () => ({ remove: [people[0]] }), () => []],
    ['neither', () => ({}), () => [people[0]]],
    ['the same id in both, where add wins', () => ({ add: [people[0]], remove: [people[0]] }), () => [people[0]]],
    ['empty lists', () => ({ add: [], remove: [] }), () => [people[0]]],
  ])('[LK-018] takes %s', async (_what, body, expected) => {
    const reply = await friends(body())
    expect([reply.status, reply.body.friends]).toEqual([200, expected()])
  })

  it('[LK-019] takes If-Match with the current change_seq', async () => {
    const { change_seq } = await own.read('character', id)
    expect((await friends({ add: [people[1]] }, { 'If-Match': String(change_seq) })).status).toBe(200)
  })

  it.each([
    ['LK-020', 'character', 'name'],
    ['LK-020', 'character', 'level'],
    ['LK-020', 'character', 'zzz'],
    ['LK-020', 'character', 'x_a'],
    ['LK-020', 'character', 'characters'],
    ['LK-021', 'character', 'location'],
    ['LK-021', 'narrative', 'narrator'],
    ['LK-015', 'pin', 'characters'],
    ...['pin', 'map', 'marker'].flatMap((type) => categoryOf(type).fields.map(({ name }) => ['LK-015', type, name])),
  ])('[%s] on %s.%s is 422', async (_id, type, field) => {
    const made = await own.make(type)
    const write = () => own.post(`/api/v2/${type}/${made.id}/links/${field}`, { add: [people[0]] })
    await expectNothingWritten(own, write, 422, 'invalid_request', field)
  })

  it('[LK-022] adds an id once, however often it is sent', async () => {
    const [, cid = ''] = people
    await friends({ add: [cid, cid.toUpperCase()] })
    expect((await friends({ add: [people[0], cid] })).body.friends).toEqual([people[0], cid])
  })

  it('[LK-023] tolerates the removal of what is not there', async () => {
    const { status, body } = await friends({ remove: [randomUUID(), people[2]] })
    expect([status, body.friends]).toEqual([200, [people[0]]])
  })

  it('[LK-024] is merged atomically: fifty at once all hold', async () => {
    const many = await own.seed(
      'character',
      Array.from({ length: 50 }, (_, index) => ({ name: `M${index}` })),
    )
    const head = await own.head()
    const replies = await Promise.all(many.map((other) => friends({ add: [other] })))
    expect(replies.map(({ status }) => status)).toEqual(many.map(() => 200))
    const { friends: all } = await own.read('character', id)
    expect([...all].sort()).toEqual([people[0], ...many].sort())
    expect(await own.head()).toBe(head + 50)
  })

  it.each([
    ['LK-026', 'an id that names nothing', () => randomUUID()],
    ['LK-027', 'an element of another category', () => home],
  ])('[LK-025][%s] refuses to add %s, and removes nothing then', async (_id, _what, added) => {
    const write = () => friends({ add: [people[1], added()], remove: [people[0]] })
    await expectNothingWritten(own, write, 400, bad, 'friends')
  })

  it('[LK-026] refuses to add an element of another world', async () => {
    const other = await newOwner(system)
    const theirs = await other.make('character')
    await expectNothingWritten(own, () => friends({ add: [theirs.id] }), 400, bad, 'friends')
  })

  it.each([
    ['an unknown key', { adds: [] }, 'adds'],
    ['a malformed id', { add: ['abc'] }, undefined],
    ['a stub', { add: [{ id: '01890a5d-ac96-774b-bcce-b302099a8057' }] }, undefined],
    ['one id for a list', { remove: '01890a5d-ac96-774b-bcce-b302099a8057' }, undefined],
    ['a list for a body', [], null],
    ['a body that is no JSON', '{', null],
  ])('[LK-018] refuses %s', async (_what, body, param) => {
    await expectNothingWritten(own, () => friends(body), 422, 'invalid_request', param)
  })

  it('[LK-017] on a missing element or under another category is 404', async () => {
    expectRefusal(await own.post(`/api/v2/character/${randomUUID()}/links/friends`, {}), 404, 'not_found', null)
    expectRefusal(await own.post(`/api/v2/event/${id}/links/characters`, {}), 404, 'not_found', null)
  })
})
