import { typingOf } from '@worlds/domain/typing'
import { type Api, api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { importLegacyKey } from './legacy-keys'
import { type Body, emptyFields, expectBody, newOwner, newReader, type Owner, timestampForm, uuidForm } from './support'

const root = '/api/worldapi'
let system: System
let own: Owner
beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

const make = async (type: string, body: Body): Promise<Body> =>
  expectBody(await own.post(`${root}/${type}/`, body), 201)
const readClassic = async (type: string, id: string, by: Api = own): Promise<Body> =>
  expectBody(await by.get(`${root}/${type}/${id}/`), 200)

describe('classic elements', () => {
  it('[CL-004][CL-005][CL-015][CL-016][VR-001] are made and read, in both dialects', async () => {
    const made = await make('character', { name: 'Mira', description: 'Old', supertype: 'Human', level: '7' })
    expect(made.id).toMatch(uuidForm)
    expect(made.id[14]).toBe('7')
    expect(made).toEqual({
      ...emptyFields('character'),
      ...{ id: made.id, name: 'Mira', description: 'Old', world: own.world, supertype: 'Human', subtype: '' },
      ...{ image_url: '', level: 7, created_at: expect.stringMatching(timestampForm) },
      updated_at: expect.stringMatching(timestampForm),
    })
    expect(Object.keys(made).slice(0, 7)).toEqual([
      ...['id', 'name', 'description', 'world', 'supertype', 'subtype', 'image_url'],
    ])
    expect(Object.keys(made).slice(-2)).toEqual(['created_at', 'updated_at'])
    expect(await readClassic('character', made.id)).toEqual(made)
    expect(await own.read('character', made.id)).toMatchObject({ type: 'character', name: 'Mira', level: 7 })
    const sent = '01980000-0000-7000-8000-00000000c1a5'
    expect(await make('zone', { id: sent, name: 'Mine' })).toMatchObject({ id: sent })
  })

  it('[CL-006][CL-007] change in part by PATCH and whole by PUT', async () => {
    const { id } = await make('character', { name: 'Whole', level: 3, background: 'Long' })
    const patched = expectBody(await own.patch(`${root}/character/${id}/`, { level: 4 }), 200)
    expect(patched).toMatchObject({ name: 'Whole', level: 4, background: 'Long' })
    const put = expectBody(await own.put(`${root}/character/${id}/`, { name: 'New', id }), 200)
    expect(put).toMatchObject({ id, name: 'New', level: null, background: '' })
    expect(await readClassic('character', id)).toEqual(put)
  })

  it('[CL-008] go by DELETE, in both dialects and with a tombstone; twice too', async () => {
    const { id } = await make('law', { name: 'Short' })
    for (let times = 0; times < 2; times += 1) {
      const { status, text } = await own.delete(`${root}/law/${id}/`)
      expect([status, text]).toEqual([204, ''])
    }
    expect((await own.get(`${root}/law/${id}/`)).status).toBe(404)
    expect((await own.get(`/api/v2/law/${id}`)).status).toBe(404)
    const { changes } = expectBody(await own.get('/api/v2/changes?limit=1000'), 200)
    expect(changes).toContainEqual(expect.objectContaining({ op: 'delete', id, type: 'law' }))
  })

  it('[CL-017][CL-018][CL-019] write links by suffixed names and read them as stubs', async () => {
    const friend = await make('character', {
      name: 'Friend',
      supertype: 'Human',
      subtype: 'Elf',
      image_url: 'http://i',
    })
    const place = await make('location', { name: 'Place' })
    const body = { name: 'Linked', friends_ids: [friend.id], location_id: place.id }
    const made = await make('character', body)
    const stub = { id: friend.id, name: 'Friend', supertype: 'Human', subtype: 'Elf', image_url: 'http://i' }
    expect(made.friends).toEqual([stub])
    expect(made.location).toEqual({ id: place.id, name: 'Place', supertype: '', subtype: '', image_url: '' })
    expect(await own.read('character', made.id)).toMatchObject({ friends: [friend.id], location: place.id })
    const patched = await own.patch(`${root}/character/${made.id}/`, { location_id: null, friends_ids: [] })
    expect(expectBody(patched, 200)).toMatchObject({ location: null, friends: [], rivals: [] })
    const event = await make('event', { name: 'E', characters_ids: [friend.id, made.id] })
    expect(event.characters.map(({ name }: Body) => name)).toEqual(['Friend', 'Linked'])
  })

  it('write pins by the names that both dialects have', async () => {
    const map = await make('map', { name: 'M' })
    const place = await make('location', { name: 'L' })
    const pin = await make('pin', {
      name: 'P',
      map_id: map.id,
      element_type: 'location',
      element_id: place.id,
      x: 1,
      y: 2,
    })
    expect(pin).toMatchObject({
      map: { id: map.id },
      element_type: 'location',
      element_id: place.id,
      x: 1,
      y: 2,
      z: null,
    })
  })

  it('keep what the dialect cannot say', async () => {
    const { id } = await own.make('character', { name: 'Both', x_note: { deep: [1e2] }, level: 2 })
    expect(await readClassic('character', id)).not.toHaveProperty('x_note')
    expectBody(await own.put(`${root}/character/${id}/`, { name: 'Put' }), 200)
    expectBody(await own.patch(`${root}/character/${id}/`, { description: 'Patched' }), 200)
    const now = await own.read('character', id)
    expect(now).toMatchObject({ name: 'Put', description: 'Patched', level: null, x_note: { deep: [100] } })
  })

  it('are replaced only where they are', async () => {
    const { id } = await make('zone', { name: 'Zone' })
    const absent = '01980000-0000-7000-8000-00000000ab5e'
    for (const path of [`character/${id}`, `zone/${absent}`]) {
      const reply = await own.put(`${root}/${path}/`, { name: 'No' })
      expect([reply.status, reply.body]).toEqual([404, { detail: expect.any(String) }])
    }
  })
})

describe('the classic list', () => {
  let other: Owner
  beforeAll(async () => {
    other = await newOwner(system)
    const names = Array.from({ length: 150 }, (_, index) => ({ name: `N${index}`, supertype: index % 50 ? 'A' : 'B' }))
    await other.seed('title', names)
    await other.make('title', { name: 'Straße % _', supertype: 'C' })
  })
  const list = async (query = ''): Promise<Body[]> => expectBody(await other.get(`${root}/title/${query}`), 200)
  const names = async (query: string) => (await list(query)).map(({ name }) => name)

  it('[CL-001][CL-002][CL-003] is a bare array of everything, with and without the slash', async () => {
    const all = await list()
    expect(all).toHaveLength(151)
    expect(all.slice(0, 150).map(({ name }) => name)).toEqual(Array.from({ length: 150 }, (_, index) => `N${index}`))
    expect((await other.get(`${root}/title`)).body).toEqual(all)
    expect(await readClassic('title', all[3]?.id, other)).toEqual(all[3])
    expect((await other.get(`${root}/law/`)).text).toBe('[]')
  })

  it('[CL-010][CL-011][CL-012] is filtered by world, name and supertype', async () => {
    expect(await list(`?world=${other.world}`)).toHaveLength(151)
    expect(await list(`?world=${own.world}`)).toEqual([])
    expect(await list('?world=nonsense')).toEqual([])
    expect(await names('?name__icontains=STRASSE')).toEqual([])
    expect(await names('?name__icontains=straße')).toEqual(['Straße % _'])
    expect(await names('?name__icontains=%25')).toEqual(['Straße % _'])
    expect(await names('?supertype=B')).toEqual(['N0', 'N50', 'N100'])
    expect(await names('?supertype=B&name__icontains=5')).toEqual(['N50'])
  })

  it('[CL-013][CL-014] is cut by limit and offset', async () => {
    expect(await names('?limit=2')).toEqual(['N0', 'N1'])
    expect(await names('?offset=1&limit=2')).toEqual(['N1', 'N2'])
    expect(await names('?offset=149')).toEqual(['N149', 'Straße % _'])
    expect(await names('?offset=1&supertype=B')).toEqual(['N50', 'N100'])
    expect(await list('?limit=0')).toEqual([])
    expect(await list('?offset=99999999999999&limit=99999999999999')).toEqual([])
    for (const [query, param] of [
      ['limit=-1', 'limit'],
      ['limit=x', 'limit'],
      ['limit=', 'limit'],
      ['offset=-1', 'offset'],
      ['offset=1.5', 'offset'],
    ]) {
      const reply = await other.get(`${root}/title/?${query}`)
      expect([reply.status, reply.body]).toEqual([
        422,
        { detail: [{ loc: ['query', param], msg: expect.any(String) }] },
      ])
    }
    expect(await names('?limit=1&page=7&anything&page=8&x=%zz&%zz=1')).toEqual(['N0'])
    expect(await names('?%6cimit=1')).toEqual(['N0'])
  })

  it('is whole however long it is, each element once', async () => {
    const long = await newOwner(system)
    for (let batch = 0; batch < 3; batch += 1) {
      await long.seed(
        'object',
        Array.from({ length: 1000 }, (_, index) => ({ name: `O${batch * 1000 + index}` })),
      )
    }
    const all = expectBody(await long.get(`${root}/object/`), 200)
    expect(all.map(({ name }: Body) => name)).toEqual(Array.from({ length: 3000 }, (_, index) => `O${index}`))
    const rest = expectBody(await long.get(`${root}/object/?offset=1500&limit=1400`), 200)
    expect(rest).toEqual(all.slice(1500, 2900))
    const head = await fetch(`${system.gateway}${root}/object/`, { method: 'HEAD', headers: long.headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('is a member’s own view of it, whole and in part', async () => {
    const world = await newOwner(system)
    const ids = await world.seed('zone', [{ name: 'A' }, { name: 'B' }, { name: 'C' }])
    await world.put(`/api/v2/zone/${ids[1]}/hidden`)
    const contributor = api(system.gateway, { ...(await addMember(system, world, 'contributor')).headers })
    const guest = api(system.gateway, { ...(await addMember(system, world, 'guest')).headers })
    for (const name of ['D', 'E']) expectBody(await guest.post(`${root}/zone/`, { name }), 201)
    const names = async (by: Api, query = '') =>
      expectBody(await by.get(`${root}/zone/${query}`), 200).map(({ name }: Body) => name)
    expect(await names(contributor)).toEqual(['A', 'C', 'D', 'E'])
    expect(await names(contributor, '?offset=1&limit=2')).toEqual(['C', 'D'])
    expect(await names(guest)).toEqual(['D', 'E'])
    expect(await names(guest, '?offset=1')).toEqual(['E'])
    expect(await names(guest, '?offset=1&name__icontains=d')).toEqual([])
  })

  it('[AU-031] is empty only for a key that still opens the world', async () => {
    const account = api(system.gateway, { Authorization: `Bearer ${own.token}` })
    const keys = `/api/v2/account/worlds/${own.world}/keys`
    const { id, key } = expectBody(await account.post(keys, { scope: 'read' }), 201)
    const reader = api(system.gateway, { 'API-Key': key })
    for (const query of ['', '?limit=0', `?world=${other.world}`]) {
      expect((await reader.get(`${root}/law/${query}`)).status).toBe(200)
    }
    expectBody(await account.delete(`${keys}/${id}`), 204)
    for (const query of ['?limit=0', `?world=${other.world}`]) {
      const reply = await reader.get(`${root}/law/${query}`)
      expect([reply.status, reply.body.detail]).toEqual([401, 'Unauthorized'])
    }
  })

  it('is read whole while it is written, and while keys of the world are made', async () => {
    const busy = await newOwner(system)
    const ids: string[] = []
    for (let batch = 0; batch < 3; batch += 1) {
      ids.push(
        ...(await busy.seed(
          'object',
          Array.from({ length: 1000 }, () => ({ name: 'O' })),
        )),
      )
    }
    const account = api(system.gateway, { Authorization: `Bearer ${busy.token}` })
    let reading = true
    const writing = (async () => {
      for (let index = 0; reading; index += 37) {
        await busy.patch(`/api/v2/object/${ids[index % ids.length]}`, { description: String(index) })
        expectBody(await account.post(`/api/v2/account/worlds/${busy.world}/keys`, { scope: 'read' }), 201)
      }
    })()
    for (let times = 0; times < 5; times += 1) {
      const all = expectBody(await busy.get(`${root}/object/`), 200)
      expect(new Set(all.map(({ id }: Body) => id)).size).toBe(3000)
      expect(all).toHaveLength(3000)
    }
    reading = false
    await writing
  })
})

describe('classic paths', () => {
  it('[CL-009] of single elements are sent to their slash before any key, with their query', async () => {
    const { id } = await make('character', { name: 'Path' })
    const bare = api(system.gateway)
    const path = `${root}/character/${id}`
    for (const send of [bare.get, bare.delete, bare.put, bare.patch, bare.post]) {
      const { status, headers, text } = await (send as Api['post'])(path)
      expect([status, headers.get('location'), text]).toEqual([301, `${path}/`, ''])
    }
    const { status, headers } = await bare.get(`${path}?a=b&c=%2F?`)
    expect([status, headers.get('location')]).toEqual([301, `${path}/?a=b&c=%2F?`])
    expect((await bare.get(`${root}/character/nonsense`)).status).toBe(301)
    expect((await bare.get(`${root}/nothing/${id}`)).status).toBe(404)
  })

  it('lead to the world and to typings too', async () => {
    for (const path of [`${root}/world/`, `${root}/world`]) {
      expect((await own.get(path)).body).toEqual((await own.get('/api/v2/world')).body)
    }
    const changed = expectBody(await own.patch(`${root}/world/`, { description: 'By the classic door' }), 200)
    expect(changed.description).toBe('By the classic door')
    for (const path of [`${root}/typing/Location/`, `${root}/typing/Location`]) {
      const { supertypes } = expectBody(await api(system.gateway).get(path), 200)
      expect(supertypes).toEqual(Object.fromEntries(typingOf('location')))
      expect(supertypes.Biome).toContain('Forest')
    }
    expect((await api(system.gateway).get(`${root}/typing/Map/`)).body).toEqual({ supertypes: {} })
    for (const name of ['location', 'Nothing', 'LOCATION']) {
      const { status, body } = await api(system.gateway).get(`${root}/typing/${name}/`)
      expect([status, body]).toEqual([404, { detail: expect.any(String) }])
    }
  })
})

describe('classic keys', () => {
  it('[CL-020][CL-021][CL-022][CL-023][VR-002] are those of the current dialect, old ones too', async () => {
    const { id } = await make('family', { name: 'Keys' })
    const legacy = api(system.gateway, { 'API-Key': await importLegacyKey(system, own.world), 'API-Pin': own.pin })
    const reader = await newReader(system, own)
    for (const by of [own, legacy, reader]) expect(await readClassic('family', id, by)).toMatchObject({ name: 'Keys' })
    expectBody(await legacy.patch(`${root}/family/${id}/`, { description: 'Legacy' }), 200)
    const made = expectBody(await legacy.post(`${root}/family/`, { name: 'Made' }), 201)
    expect((await legacy.delete(`${root}/family/${made.id}/`)).status).toBe(204)
    const withoutPin = await api(system.gateway, { 'API-Key': own.key }).post(`${root}/family/`, { name: 'No' })
    expect(withoutPin.status).toBe(401)
    const byReader = await reader.post(`${root}/family/`, { name: 'No' })
    expect([byReader.status, byReader.body]).toEqual([403, { detail: expect.any(String) }])
  })
})
