import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectNothingWritten, expectRefusal, newOwner, newReader, type Owner, writes } from './support'

let system: System
let own: Owner
let other: Owner

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  other = await newOwner(system)
})
afterAll(() => system.stop())

describe('an id that is taken', () => {
  it('[WR-012] in this world is a conflict for POST', async () => {
    const { id } = await own.make('character')
    const write = () => own.post('/api/v2/character', { id, name: 'B' })
    await expectNothingWritten(own, write, 409, 'id_conflict')
    await expectNothingWritten(
      own,
      () => own.post('/api/v2/character', { id: id.toUpperCase(), name: 'B' }),
      409,
      'id_conflict',
    )
  })

  it('[WR-012] by another category of this world is a conflict for POST and PUT', async () => {
    const { id } = await own.make('character')
    await expectNothingWritten(own, () => own.post('/api/v2/location', { id, name: 'B' }), 409, 'id_conflict')
    await expectNothingWritten(own, () => own.put(`/api/v2/location/${id}`, { name: 'B' }), 409, 'id_conflict')
  })

  it('[WR-013] in another world is a conflict for POST', async () => {
    const theirs = await other.make('character')
    const write = () => own.post('/api/v2/character', { id: theirs.id, name: 'B' })
    await expectNothingWritten(own, write, 409, 'id_conflict')
    expect(await other.read('character', theirs.id)).toEqual(theirs)
  })

  it('[WR-018] in another world is a conflict for PUT', async () => {
    const theirs = await other.make('character')
    await expectNothingWritten(own, () => own.put(`/api/v2/character/${theirs.id}`, { name: 'B' }), 409, 'id_conflict')
    expect(await other.read('character', theirs.id)).toEqual(theirs)
  })

  it('[WR-014] is said to exist in this world or in another', async () => {
    const [ours, theirs] = [await own.make('character'), await other.make('character')]
    const here = await own.post('/api/v2/character', { id: ours.id, name: 'B' })
    const there = await own.post('/api/v2/character', { id: theirs.id, name: 'B' })
    const put = await own.put(`/api/v2/character/${theirs.id}`, { name: 'B' })
    const category = await own.put(`/api/v2/location/${ours.id}`, { name: 'B' })
    expect(here.body.error.message).toMatch(/this world/)
    expect(category.body.error.message).toMatch(/this world/)
    expect(there.body.error.message).toMatch(/another world/)
    expect(put.body.error.message).toMatch(/another world/)
  })

  it('[WR-013] in another world may be taken once it is deleted there', async () => {
    const { id } = await other.make('character')
    expect((await other.delete(`/api/v2/character/${id}`)).status).toBe(204)
    expect((await own.post('/api/v2/character', { id, name: 'B' })).status).toBe(201)
  })

  it('[WR-013] by two worlds at once is given to one of them', async () => {
    const id = randomUUID()
    const body = { id, name: 'A' }
    const replies = await Promise.all([own.post('/api/v2/character', body), other.post('/api/v2/character', body)])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  it('[WR-012] by twenty requests at once is given to one of them', async () => {
    const body = { id: randomUUID(), name: 'A' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => own.post('/api/v2/character', body)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  it('[WR-012] is told before a link that names nothing', async () => {
    const { id } = await own.make('character')
    const write = () => own.post('/api/v2/character', { id, name: 'B', location: randomUUID() })
    await expectNothingWritten(own, write, 409, 'id_conflict')
  })
})

describe.each(writes)('a link that %s writes', (_method, write) => {
  let id: string
  let home: string
  beforeAll(async () => {
    home = (await own.make('location')).id
    id = (await own.make('character', { name: 'Ann', location: home })).id
  })
  const send = (body: Record<string, unknown>) => () =>
    write(own, 'character', id, { name: 'Ann', description: 'B', ...body })

  it('[WR-042][WR-045] must name an element', async () => {
    await expectNothingWritten(own, send({ location: randomUUID() }), 400, 'invalid_link', 'location')
    await expectNothingWritten(own, send({ friends: [id, randomUUID()] }), 400, 'invalid_link', 'friends')
  })

  it('[WR-043] must name an element of the linked category', async () => {
    await expectNothingWritten(own, send({ location: id }), 400, 'invalid_link', 'location')
    await expectNothingWritten(own, send({ friends: [home] }), 400, 'invalid_link', 'friends')
  })

  it('[WR-044] must name an element of this world', async () => {
    const theirs = await other.make('location')
    await expectNothingWritten(own, send({ location: theirs.id }), 400, 'invalid_link', 'location')
  })

  it('[WR-042] must name an element that still stands', async () => {
    const gone = await own.make('location')
    await own.delete(`/api/v2/location/${gone.id}`)
    await expectNothingWritten(own, send({ location: gone.id }), 400, 'invalid_link', 'location')
  })

  it('[WR-041] must not be a stub', async () => {
    const { body } = await own.get(`/api/v2/character/${id}?expand=location`)
    await expectNothingWritten(own, send({ location: body.location }), 422, 'invalid_request', 'location')
    await expectNothingWritten(own, send({ friends: [body.location] }), 422, 'invalid_request', 'friends')
  })

  it.each([
    ['location', 'abc'],
    ['location', ''],
    ['location', 7],
    ['location', []],
    ['friends', ['abc']],
    ['friends', [null]],
    ['friends', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['friends', {}],
  ])('[WR-041][WR-042] is refused when malformed: %s as %j', async (field, value) => {
    await expectNothingWritten(own, send({ [field]: value }), 422, 'invalid_request', field)
  })
})

describe('a write that failed', () => {
  it('[WR-050] by a bad link may be sent again with the same id', async () => {
    const id = randomUUID()
    const bad = await own.post('/api/v2/character', { id, name: 'A', location: randomUUID() })
    expectRefusal(bad, 400, 'invalid_link', 'location')
    expect((await own.post('/api/v2/character', { id, name: 'A' })).status).toBe(201)
  })

  it('[WR-045] by a PATCH leaves the element as it was', async () => {
    const made = await own.make('character', { description: 'A', x_a: 1 })
    const body = { description: 'B', x_a: 2, location: randomUUID() }
    await expectNothingWritten(
      own,
      () => own.patch(`/api/v2/character/${made.id}`, body),
      400,
      'invalid_link',
      'location',
    )
    expect(await own.read('character', made.id)).toEqual(made)
  })

  it('[WR-045] by a read key leaves the world as it was', async () => {
    const { id } = await own.make('character')
    const reader = await newReader(system, own)
    for (const [, write] of writes) {
      await expectNothingWritten(
        own,
        () => write(reader, 'character', id, { name: 'B' }),
        403,
        'permission_error',
        null,
      )
    }
  })
})
