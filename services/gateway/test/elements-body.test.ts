import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectNothingWritten, newOwner, type Owner, timestampForm, uuidForm } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

describe('an element', () => {
  it('[EL-001] is stored and read back as it was answered', async () => {
    const made = await own.post('/api/v2/character', { name: 'Ann', description: 'A smith' })
    expect(made.status).toBe(201)
    const read = await own.get(`/api/v2/character/${made.body.id}`)
    expect(read.status).toBe(200)
    expect(read.text).toBe(made.text)
    expect(read.body).toMatchObject({ name: 'Ann', description: 'A smith' })
  })

  it('[EL-003] and every other reply with a body is JSON', async () => {
    const replies = await Promise.all([
      own.post('/api/v2/character', { name: 'Ann' }),
      own.get('/api/v2/world'),
      own.get('/api/v2/character'),
      own.get('/api/v2/changes'),
      own.post('/api/v2/bulk', { items: [] }),
      own.post('/api/v2/character', {}),
      own.get(`/api/v2/character/${randomUUID()}`),
      own.get('/api/v2/dragon'),
    ])
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 422, 404, 404])
    for (const { headers } of replies) expect(headers.get('content-type')).toMatch(/^application\/json\b/)
  })

  it('[EL-011][EL-012] begins with its type', async () => {
    const { id } = await own.make('location')
    expect((await own.get(`/api/v2/location/${id}`)).text).toMatch(/^\{\s*"type"\s*:\s*"location"/)
  })

  it('[EL-024][EL-028] has timestamps of the server and no creator when the owner made it', async () => {
    const made = await own.make('character')
    expect(made.created_at).toMatch(timestampForm)
    expect(made.updated_at).toMatch(timestampForm)
    expect(made.created_at).toBe(made.updated_at)
    expect(made.created_by).toBeNull()
  })

  it('[EL-025] shows updated_at wherever it is read, whatever fields were asked for', async () => {
    const { id, updated_at } = await own.make('zone', { name: 'Z' })
    const single = await own.get(`/api/v2/zone/${id}?fields=name`)
    const list = await own.get('/api/v2/zone?name=Z&fields=name')
    const feed = await own.get('/api/v2/changes')
    const record = feed.body.changes.find((change: Body) => change.id === id)
    expect(single.body.updated_at).toBe(updated_at)
    expect(list.body.data[0].updated_at).toBe(updated_at)
    expect(record.element.updated_at).toBe(updated_at)
  })

  it('[EL-026] carries the change sequence of its last write', async () => {
    const made = await own.make('character')
    expect(made.change_seq).toBe(await own.head())
    const moved = await own.patch(`/api/v2/character/${made.id}`, { description: 'Moved' })
    expect(moved.body.change_seq).toBe(made.change_seq + 1)
    expect(moved.body.change_seq).toBe(await own.head())
  })

  it('[EL-030] shows links under the names and in the shapes they were written in', async () => {
    const links = { location: (await own.make('location')).id, friends: [(await own.make('character')).id] }
    const { id } = await own.make('character', links)
    expect(await own.read('character', id)).toMatchObject(links)
  })
})

describe('ids', () => {
  it('[EL-002] are UUID strings in bodies and replies', async () => {
    const world = await own.get('/api/v2/world')
    const me = await own.get('/api/v2/me')
    const { id } = await own.make('character')
    const found = [id, world.body.id, me.body.world.id]
    for (const uuid of found) expect(uuid).toMatch(uuidForm)
    expect(world.body.id).toBe(own.world)
  })

  it('[EL-015][EL-013] are minted as UUIDv7 when none was sent', async () => {
    const { id } = await own.make('character')
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('[EL-015] are minted when null was sent', async () => {
    expect((await own.make('character', { id: null })).id).toMatch(uuidForm)
  })

  it.each([
    ['v1', '8f0b6f3a-6c1e-11ef-b864-0242ac120002'],
    ['v3', 'a3bb189e-8bf9-3888-9912-ace4e6543002'],
    ['v4', 'e58ed763-928c-4155-bee9-fdbaaadc15f3'],
    ['v5', '74738ff5-5367-5958-9aee-98fffdcd1876'],
    ['v7', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ])('[EL-014][EL-013] are taken as sent: %s', async (_version, id) => {
    expect((await own.make('character', { id })).id).toBe(id)
    expect((await own.read('character', id)).id).toBe(id)
  })

  it('[EL-014] are the same in upper and lower case', async () => {
    const id = randomUUID()
    expect((await own.make('character', { id: id.toUpperCase() })).id).toBe(id)
    expect((await own.read('character', id.toUpperCase())).id).toBe(id)
  })

  it.each([
    '',
    'abc',
    '{01890a5d-ac96-774b-bcce-b302099a8057}',
    'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057',
    7,
    [],
  ])('[EL-014][EL-036] that are malformed are refused on create: %j', async (id) => {
    const write = () => own.post('/api/v2/character', { id, name: 'Ann' })
    await expectNothingWritten(own, write, 422, 'invalid_request', 'id')
  })
})

describe('text fields', () => {
  it.each([
    ['EL-016', 'name', 255],
    ['EL-021', 'supertype', 128],
    ['EL-022', 'subtype', 128],
    ['EL-023', 'image_url', 1024],
  ])('[%s] %s holds up to %i characters', async (_id, field, length) => {
    const text = 'ä'.repeat(length)
    const { id } = await own.make('character', { [field]: text })
    expect((await own.read('character', id))[field]).toBe(text)
  })

  it('[EL-020] description holds a million characters', async () => {
    const description = 'x'.repeat(1_000_000)
    const { id } = await own.make('character', { description })
    expect((await own.read('character', id)).description).toBe(description)
  })

  it('[EL-017] name is required on POST', async () => {
    await expectNothingWritten(own, () => own.post('/api/v2/character', {}), 422, 'invalid_request', 'name')
  })

  it('[EL-018] name is required on PUT, of a new element and of one that stands', async () => {
    const { id } = await own.make('character', { name: 'Ann' })
    for (const target of [id, randomUUID()]) {
      const write = () => own.put(`/api/v2/character/${target}`, { description: 'B' })
      await expectNothingWritten(own, write, 422, 'invalid_request', 'name')
    }
  })

  it.each([[''], [null]])('[EL-019] name may be sent as %j and reads ""', async (name) => {
    const { id } = await own.make('character', { name })
    expect((await own.read('character', id)).name).toBe('')
    const put = await own.put(`/api/v2/character/${id}`, { name })
    expect(put.status).toBe(200)
    expect(put.body.name).toBe('')
  })
})

describe('extension fields', () => {
  it('[EL-031][EL-032] hold any JSON value, verbatim and at the top level', async () => {
    const extensions = {
      x_object: { b: [1, { c: null }], a: 'ä "quoted" \\ \u2028' },
      tool_array: [1, 'two', null, [true]],
      shadow_number: -1.5e-7,
      x_null: null,
      x_false: false,
      x_empty: '',
      x_: 'the bare prefix',
    }
    const { id } = await own.make('character', extensions)
    expect(await own.read('character', id)).toMatchObject(extensions)
    const page = await own.get('/api/v2/character?name=Someone&limit=1000')
    expect(page.body.data.find((element: Body) => element.id === id)).toMatchObject(extensions)
  })

  it('[EL-031] keep numbers that a double cannot hold', async () => {
    const made = await own.post('/api/v2/character', '{"name":"A","x_big":123456789012345678901234567890,"x_one":1.0}')
    const { text } = await own.get(`/api/v2/character/${made.body.id}`)
    expect(text).toContain('"x_big":123456789012345678901234567890')
    expect(text).toContain('"x_one":1.0')
  })

  it('[EL-031] may be named like a link of the classic dialect', async () => {
    const { id } = await own.make('character', { x_parent_id: 'p', tool_ids: [1] })
    expect(await own.read('character', id)).toMatchObject({ x_parent_id: 'p', tool_ids: [1] })
  })

  it('[EL-031] are verbatim however they were written: by PUT, PATCH or bulk, under an escaped name', async () => {
    const id = randomUUID()
    const members = '"name":"A","x\\u005fone":1.0,"x_text":"\\u00e4\\/","x_list":[1e2,{"a":-0}]'
    const stored = ['"x_one":1.0', '"x_list":[1e2,{"a":-0}]']
    const path = `/api/v2/character/${id}`
    const ways = [
      () => own.put(path, `{${members}}`),
      () => own.patch(path, `{${members}}`),
      () => own.post('/api/v2/bulk', `{"items":[{"type":"character","\\u0065lement":{"id":"${id}",${members}}}]}`),
    ]
    for (const write of ways) {
      expect((await write()).status).toBeLessThan(300)
      const { text, body } = await own.get(path)
      for (const part of stored) expect(text).toContain(part)
      expect([body.x_one, body.x_text]).toEqual([1, 'ä/'])
    }
  })
})
