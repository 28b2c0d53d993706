import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import pg from 'pg'
import { addFile, askTicket, filesOf, fileTicket, send, untilListed, worldFiles } from './files-support'
import { newParty, type PartyName } from './permission-parties'
import { type Body, expectBody, expectRefusal, newOwner, newReader, type Owner, timestampForm } from './support'

let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const ids = (records: Body[]) => records.map(({ id }) => id)
const hide = async (type: string, id: string) =>
  expect((await own.put(`/api/v2/${type}/${id}/hidden`)).status).toBe(204)

describe('the files of an element', () => {
  it('[FL-001][FL-002][FL-003][FL-005][FL-006][FL-018][FL-028][EL-002] are records of what was uploaded', async () => {
    const ticket = await fileTicket(own, 'location', place, {
      name: 'x/Map of all.md',
      kind: 'md',
      label: 'description',
    })
    expect((await own.get(`/api/v2/location/${place}/files`)).body).toEqual({ data: [] })
    await send(ticket as never, '# Map')
    await untilListed(own, 'location', place, ticket.file_id)
    for (const slash of ['', '/']) {
      expect(expectBody(await own.get(`/api/v2/location/${place}/files${slash}`), 200)).toEqual({
        data: [
          {
            id: ticket.file_id,
            name: 'Map of all.md',
            kind: 'md',
            size: 5,
            label: 'description',
            added_by: { name: 'Someone', membership: null, agent: false },
            added_at: expect.stringMatching(timestampForm),
          },
        ],
      })
    }
  })

  it.each([
    ['my notes', 'my notes'],
    ['description', 'description'],
    [' <b>&"\' ', ' <b>&"\' '],
    ['', null],
    [null, null],
    [undefined, null],
  ])('[FL-005][FL-053] have a label, or null: %j', async (label, shown) => {
    expect((await addFile(own, 'location', place, { label: label as string })).label).toBe(shown)
  })

  it.each([
    ['less', 'abc'],
    ['more', 'a much longer text'],
  ])('[FL-004] have the size that was stored, be it %s than was declared', async (_title, text) => {
    expect((await addFile(own, 'location', place, { size: 5 }, text)).size).toBe(text.length)
  })

  it('[FL-010] are dated by when they were stored, not by their tickets', async () => {
    const ticket = await fileTicket(own, 'location', place)
    const asked = Date.now()
    await until(() => Date.now() > asked + 50)
    const before = Date.now()
    await send(ticket as never, 'hello')
    const { added_at } = await untilListed(own, 'location', place, ticket.file_id)
    expect(Date.parse(added_at)).toBeGreaterThanOrEqual(before - 1)
    expect(Date.parse(added_at)).toBeLessThanOrEqual(Date.now() + 1)
  })

  it('[FL-029] come newest first, by when they were stored', async () => {
    const first = await fileTicket(own, 'location', place)
    const second = await addFile(own, 'location', place)
    const third = await addFile(own, 'location', place)
    await send(first as never, 'hello')
    await untilListed(own, 'location', place, first.file_id)
    expect(ids(await filesOf(own, 'location', place))).toEqual([first.file_id, third.id, second.id])
    const other = await addFile(own, 'character', (await own.make('character')).id)
    expect(ids((await worldFiles(own)).data)).toEqual([other.id, first.file_id, third.id, second.id])
  })

  it('[FL-024][FL-033] once removed are gone, and not there to remove again', async () => {
    const { id: file } = await addFile(own, 'location', place)
    const path = `/api/v2/location/${place}/files/${file.toUpperCase()}`
    const reply = await own.delete(path)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(await filesOf(own, 'location', place)).toEqual([])
    expectRefusal(await own.delete(path), 404, 'not_found', null)
    expectRefusal(await own.get(`${path}/download`), 404, 'not_found', null)
    expect(await worldFiles(own)).toEqual({ data: [], used_bytes: 0, cap_bytes: 262_144_000 })
  })

  it('[FL-024][FL-028][FL-032] are found by ids in upper case and by paths with a slash', async () => {
    const { id: file } = await addFile(own, 'location', place)
    const path = `/api/v2/location/${place.toUpperCase()}/files`
    expect(ids(expectBody(await own.get(`${path}/`), 200).data)).toEqual([file])
    expectBody(await own.get(`${path}/${file.toUpperCase()}/download/`), 200)
    expectBody(await own.get('/api/v2/world/files/'), 200)
    expect((await own.delete(`${path}/${file.toUpperCase()}/`)).status).toBe(204)
    expect(await filesOf(own, 'location', place)).toEqual([])
  })

  it('[FL-033] is asked for by an id: any other text is refused', async () => {
    for (const id of ['nonsense', `{${randomUUID()}}`, '7']) {
      const path = `/api/v2/location/${place}/files/${id}`
      expectRefusal(await own.get(`${path}/download`), 422, 'invalid_request', 'file_id')
      expectRefusal(await own.delete(path), 422, 'invalid_request', 'file_id')
    }
    expectRefusal(await own.get('/api/v2/location/nonsense/files'), 422, 'invalid_request', 'id')
  })

  it('[RA-006] take no as, nor any other parameter', async () => {
    const { id: file } = await addFile(own, 'location', place)
    const path = `/api/v2/location/${place}/files`
    for (const at of [path, `${path}/${file}/download`, '/api/v2/world/files']) {
      expectRefusal(await own.get(`${at}?as=public`), 422, 'invalid_request', 'as')
      expectRefusal(await own.get(`${at}?limit=1`), 422, 'invalid_request', 'limit')
    }
    expectRefusal(await own.delete(`${path}/${file}?as=public`), 422, 'invalid_request', 'as')
    expectRefusal(await own.delete(`${path}/${file}?force=1`), 422, 'invalid_request', 'force')
    expect(await filesOf(own, 'location', place)).toHaveLength(1)
  })
})

describe('hostile 70: the file of another element', () => {
  it('[FL-033] is not there, nor one that is not listed', async () => {
    const { id: file } = await addFile(own, 'location', place)
    const other = (await own.make('location')).id
    expect(await filesOf(own, 'location', other)).toEqual([])
    for (const id of [file, randomUUID(), (await fileTicket(own, 'location', other)).file_id]) {
      const path = `/api/v2/location/${other}/files/${id}`
      expectRefusal(await own.get(`${path}/download`), 404, 'not_found', null)
      expectRefusal(await own.delete(path), 404, 'not_found', null)
    }
    const unlisted = (await fileTicket(own, 'location', place)).file_id
    expectRefusal(await own.get(`/api/v2/location/${place}/files/${unlisted}/download`), 404, 'not_found', null)
    expectRefusal(await own.delete(`/api/v2/location/${place}/files/${unlisted}`), 404, 'not_found', null)
    expect(ids(await filesOf(own, 'location', place))).toEqual([file])
  })
})

describe('the files of a world', () => {
  it('[FL-023][FL-035][FL-036][FL-037][FL-038][FL-080] say whose they are and what they take together', async () => {
    expect(await worldFiles(own)).toEqual({ data: [], used_bytes: 0, cap_bytes: 262_144_000 })
    const contributor = await newParty(system, own, 'contributor')
    const theirs = expectBody(await contributor.post('/api/v2/character', { name: 'Theirs' }), 201).id
    const [a, b] = [await addFile(own, 'location', place), await addFile(contributor, 'character', theirs, {}, 'hi')]
    await fileTicket(own, 'location', place)
    expect(await worldFiles(await newReader(system, own))).toEqual({
      data: [
        { ...b, element_type: 'character', element_id: theirs },
        { ...a, element_type: 'location', element_id: place },
      ],
      used_bytes: 7,
      cap_bytes: 262_144_000,
    })
  })

  it.each<[PartyName, string[]]>([
    ['owner', ['shown', 'hidden', 'unseen']],
    ['read key of the owner', ['shown', 'hidden', 'unseen']],
    ['co_builder', ['shown', 'hidden', 'unseen']],
    ['contributor', ['shown', 'unseen']],
    ['contributor seat', ['shown', 'unseen']],
    ['guest', ['shown']],
    ['guest seat', ['shown']],
    ['read key of a guest', ['shown']],
    ['player', ['shown']],
  ])('[FL-030][FL-032][FL-035][HD-041][RL-024] are shown as far as their elements are, to a %s', async (name, seen) => {
    const party = await newParty(system, own, name)
    const characters = party.character === null ? [] : [party.character]
    const made: Record<string, string> = {}
    for (const [what, fields] of Object.entries({ shown: { characters }, hidden: { characters }, unseen: {} })) {
      made[what] = (await own.make('narrative', fields)).id
      await addFile(own, 'narrative', made[what] ?? '')
    }
    const files = new Map<string, string>()
    for (const { id, element_id } of (await worldFiles(own)).data) files.set(element_id, id)
    await hide('narrative', made.hidden ?? '')
    const { data, used_bytes } = await worldFiles(party)
    const elements = data.map(({ element_id }: Body) => element_id)
    expect([...elements].sort()).toEqual(seen.map((what) => made[what]).sort())
    expect(used_bytes).toBe(15)
    for (const [what, id] of Object.entries(made)) {
      const path = `/api/v2/narrative/${id}/files`
      for (const at of [path, `${path}/${files.get(id)}/download`]) {
        const reply = await party.get(at)
        if (seen.includes(what)) expect([what, reply.status]).toEqual([what, 200])
        else expectRefusal(reply, 404, 'not_found', null)
      }
    }
  })

  it('[FL-033] are out of reach for another world, and by another category', async () => {
    const { id: file } = await addFile(own, 'location', place)
    const other = await newOwner(system)
    for (const [by, type] of [
      [other, 'location'],
      [own, 'event'],
    ] as const) {
      const path = `/api/v2/${type}/${place}/files`
      expectRefusal(await by.get(path), 404, 'not_found', null)
      expectRefusal(await by.get(`${path}/${file}/download`), 404, 'not_found', null)
      expectRefusal(await by.delete(`${path}/${file}`), 404, 'not_found', null)
      expectRefusal(await askTicket(by, type, place), 404, 'not_found', null)
    }
    expect(await worldFiles(other)).toEqual({ data: [], used_bytes: 0, cap_bytes: 262_144_000 })
    expect(ids(await filesOf(own, 'location', place))).toEqual([file])
  })
})

it('[FL-001][FL-005] lists hold any number of files', async () => {
  const { id: file } = await addFile(own, 'location', place, { label: 'x'.repeat(80) })
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  const more = `
    insert into file.files
    select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'name', repeat('n', 250)))).*
    from file.files f, generate_series(1, 40000) where f.id = $1`
  await client.query(more, [file]).finally(() => client.end())
  const listed = await filesOf(own, 'location', place)
  expect([listed.length, new Set(ids(listed)).size]).toEqual([40_001, 40_001])
  const { data } = await worldFiles(own)
  expect(new Set(ids(data))).toEqual(new Set(ids(listed)))
})
