import { randomUUID } from 'node:crypto'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
let made: Body
let home: Body

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  home = await own.make('location', { name: 'Home', supertype: 'City', subtype: 'Port', image_url: 'https://a/b.png' })
  made = await own.make('character', { name: 'Ann', description: 'A smith', location: home.id, x_a: 1, x_b: 2 })
})
afterAll(() => system.stop())

const missing = '01890a5d-ac96-774b-bcce-b302099a8057'
const malformed = ['abc', '1', `${missing}0`, missing.replaceAll('-', ''), `%7B${missing}%7D`]

describe('GET of one element', () => {
  it('[EL-034] answers the bare element', async () => {
    const { status, body } = await own.get(`/api/v2/character/${made.id}`)
    expect(status).toBe(200)
    expect(body).toEqual(made)
  })

  it('[EL-034] takes one slash at the end and keeps the query', async () => {
    const { status, body } = await own.get(`/api/v2/character/${made.id}/?fields=name`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['type', 'id', 'name', 'updated_at'])
  })

  it('[EL-035] answers 404 when there is none', async () => {
    expectRefusal(await own.get(`/api/v2/character/${randomUUID()}`), 404, 'not_found', null)
  })

  it('[EL-035] of another world answers as when there is none', async () => {
    const other = await newOwner(system)
    const reply = await other.get(`/api/v2/character/${made.id}`)
    const none = await other.get(`/api/v2/character/${missing}`)
    expect([reply.status, reply.body]).toEqual([404, none.body])
  })

  it('[EL-037] expands a link', async () => {
    const { status, body } = await own.get(`/api/v2/character/${made.id}?expand=location`)
    expect(status).toBe(200)
    const { id, name, supertype, subtype, image_url } = home
    expect(body).toEqual({ ...made, location: { id, name, supertype, subtype, image_url } })
  })

  it('[EL-038] shows the chosen fields beside type, id and updated_at', async () => {
    const { status, body } = await own.get(`/api/v2/character/${made.id}?fields=name,x_a`)
    expect(status).toBe(200)
    const { type, id, name, x_a, updated_at } = made
    expect(body).toEqual({ type, id, name, x_a, updated_at })
  })

  it('[EL-038] knows extension fields that the element lacks, and no other unknown field', async () => {
    const { body } = await own.get(`/api/v2/character/${made.id}?fields=x_none`)
    expect(Object.keys(body)).toEqual(['type', 'id', 'updated_at'])
    expectRefusal(await own.get(`/api/v2/character/${made.id}?fields=name,zzz`), 422, 'invalid_request', 'fields')
  })

  it.each(['limit=1', 'zzz=1', 'name=Ann'])('[EL-037][EL-038] takes no other parameter: %s', async (query) => {
    const [param] = query.split('=')
    expectRefusal(await own.get(`/api/v2/character/${made.id}?${query}`), 422, 'invalid_request', param)
  })
})

describe('a malformed id', () => {
  it.each(malformed)('[EL-036] %s is 422 on every route', async (id) => {
    const path = `/api/v2/character/${id}`
    const replies = [
      await own.get(path),
      await own.put(path, { name: 'A' }),
      await own.patch(path, { name: 'A' }),
      await own.delete(path),
      await own.post(`${path}/links/friends`, {}),
    ]
    for (const reply of replies) expectRefusal(reply, 422, 'invalid_request', 'id')
  })
})

describe('writes', () => {
  const path = `/api/v2/character/${randomUUID()}`

  it('[EL-039] POST answers 201 with the full element', async () => {
    const { status, body } = await own.post('/api/v2/character', { name: 'Bob' })
    expect(status).toBe(201)
    expect(body).toEqual(await own.read('character', body.id))
  })

  it('[EL-040] PUT answers 201 with the full element when it created', async () => {
    const { status, body } = await own.put(path, { name: 'Cid' })
    expect(status).toBe(201)
    expect((await own.get(path)).body).toEqual(body)
  })

  it('[EL-041] PUT answers 200 with the full element when it replaced', async () => {
    const { status, body } = await own.put(path, { name: 'Cid' })
    expect(status).toBe(200)
    expect((await own.get(path)).body).toEqual(body)
  })

  it('[EL-042] PATCH answers 200 with the full element', async () => {
    const { status, body } = await own.patch(path, { description: 'C' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Cid', description: 'C', friends: [], location: null })
    expect((await own.get(path)).body).toEqual(body)
  })

  it('[EL-042] PATCH and link operations on a missing element are 404', async () => {
    expectRefusal(await own.patch(`/api/v2/character/${missing}`, { name: 'A' }), 404, 'not_found', null)
    expectRefusal(await own.post(`/api/v2/character/${missing}/links/friends`, {}), 404, 'not_found', null)
  })

  it('[EL-043] DELETE answers 204 without a body, and the element is gone', async () => {
    const { status, text } = await own.delete(path)
    expect([status, text]).toEqual([204, ''])
    expectRefusal(await own.get(path), 404, 'not_found', null)
  })

  it('[EL-043] DELETE with the content type of JSON and no body is well', async () => {
    const { id } = await own.make('character')
    const reply = await own.delete(`/api/v2/character/${id}`, undefined, { 'Content-Type': 'application/json' })
    expect(reply.status).toBe(204)
  })

  it.each([
    ['POST', () => own.post('/api/v2/character?zzz=1', { name: 'A' })],
    ['PUT', () => own.put(`/api/v2/character/${made.id}?zzz=1`, { name: 'A' })],
    ['PATCH', () => own.patch(`/api/v2/character/${made.id}?zzz=1`, { name: 'A' })],
    ['DELETE', () => own.delete(`/api/v2/character/${made.id}?zzz=1`)],
  ])('[WR-045] %s with a query parameter is 422 and writes nothing', async (_method, write) => {
    expectRefusal(await write(), 422, 'invalid_request', 'zzz')
    expect(await own.read('character', made.id)).toEqual(made)
  })

  it.each(['{', '', 'null', '[]', '"text"', '7', '{"name":"A"} x'])(
    '[WR-045] a body that is no JSON object is 422: %j',
    async (body) => {
      expectRefusal(await own.post('/api/v2/character', body), 422, 'invalid_request', null)
      expectRefusal(await own.put(`/api/v2/character/${made.id}`, body), 422, 'invalid_request', null)
      expectRefusal(await own.patch(`/api/v2/character/${made.id}`, body), 422, 'invalid_request', null)
    },
  )

  it('[EL-003] a body needs no content type', async () => {
    const reply = await own.post('/api/v2/character', '{"name":"A"}', { 'Content-Type': 'text/plain' })
    expect(reply.status).toBe(201)
  })
})
