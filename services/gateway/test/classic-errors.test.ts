import { type ApiReply, api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { type Body, expectBody, newOwner, newReader, type Owner } from './support'

const root = '/api/worldapi'
const absent = '01980000-0000-7000-8000-00000000ab5e'
let system: System
let own: Owner
beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
})
afterAll(() => system.stop())

const text = { detail: expect.stringMatching(/./) }
const fault = (...loc: string[]) => ({ detail: [{ loc, msg: expect.stringMatching(/./) }] })
const unauthorized = { detail: 'Unauthorized', error: { code: 'unauthorized', detail: expect.stringMatching(/./) } }

function expectShape({ status, body }: ApiReply, expected: number, shape: Body): void {
  expect({ status, body }).toEqual({ status: expected, body: shape })
}

describe('classic refusals', () => {
  it('[CL-024][CL-029] of what is missing are a text, without the envelope', async () => {
    for (const [method, body] of [
      ['get', undefined],
      ['put', { name: 'No' }],
      ['patch', { name: 'No' }],
    ] as const) {
      const reply =
        method === 'get' ? await own.get(`${root}/law/${absent}/`) : await own[method](`${root}/law/${absent}/`, body)
      expectShape(reply, 404, text)
    }
  })

  it('[CL-024][CL-026][CL-027][CL-028] of fields name where they are', async () => {
    const { id } = await own.make('character')
    const cases: [Body, string[]][] = [
      [{ name: 'A', foo: 1 }, ['body', 'foo']],
      [{ name: 'A', world: own.world }, ['body', 'world']],
      [{ name: 'A', friends: [] }, ['body', 'friends']],
      [{ name: 'A', location: null }, ['body', 'location']],
      [{ name: 'A', friends_ids: 'x' }, ['body', 'friends_ids']],
      [{ name: 'A', friends_ids: ['x'] }, ['body', 'friends_ids']],
      [{ name: 'A', location_id: 'x' }, ['body', 'location_id']],
      [{ name: 'A', level: 'x' }, ['body', 'level']],
      [{ name: 'A', type: 'character' }, ['body', 'type']],
      [{ name: 'A', change_seq: 1 }, ['body', 'change_seq']],
      [{ name: 'A', created_by: null }, ['body', 'created_by']],
      [{ name: 'A', created_at: 'x' }, ['body', 'created_at']],
      [{ name: 'A', updated_at: 'x' }, ['body', 'updated_at']],
      [{ name: 'A', x_note: 1 }, ['body', 'x_note']],
      [{ name: 'x'.repeat(256) }, ['body', 'name']],
      [[], ['body']],
      ['{', ['body']],
    ]
    for (const [body, loc] of cases) {
      expectShape(await own.post(`${root}/character/`, body), 422, fault(...loc))
      expectShape(await own.put(`${root}/character/${id}/`, body), 422, fault(...loc))
      expectShape(await own.patch(`${root}/character/${id}/`, body), 422, fault(...loc))
    }
    expectShape(await own.post(`${root}/character/`, {}), 422, fault('body', 'name'))
    expectShape(await own.post(`${root}/character/`, { id: 'x', name: 'A' }), 422, fault('body', 'id'))
    for (const send of [own.get, own.delete]) {
      expectShape(await send(`${root}/character/nonsense/`), 422, fault('path', 'id'))
    }
    for (const path of ['/character/?as=public', '/character/?%61s=public', '/typing/Location/?as=public']) {
      expectShape(await own.get(`${root}${path}`), 422, fault('query', 'as'))
    }
    expectShape(await own.patch(`${root}/character/${id}/?as=public`, {}), 422, fault('query', 'as'))
    expectShape(await own.patch(`${root}/world/`, { foo: 1 }), 422, fault('body', 'foo'))
  })

  it('[CL-025] of keys say so in their own shape', async () => {
    const path = `${root}/character/`
    const revoked = await revokedKey()
    const credentials: Record<string, string>[] = [
      {},
      { 'API-Key': '' },
      { 'API-Key': 'ow_w_unknown' },
      { 'API-Key': revoked },
    ]
    for (const headers of credentials) expectShape(await api(system.gateway, headers).get(path), 401, unauthorized)
    const told = await Promise.all(
      credentials.map(async (headers) => (await api(system.gateway, headers).get(path)).body.error.detail),
    )
    expect(new Set(told.slice(1)).size).toBe(3)
    const withoutPin = api(system.gateway, { 'API-Key': own.key })
    expectShape(await withoutPin.post(path, { name: 'No' }), 401, unauthorized)
    expectShape(await withoutPin.post(path, { name: 'No' }), 401, unauthorized)
  })

  async function revokedKey(): Promise<string> {
    const account = api(system.gateway, { Authorization: `Bearer ${own.token}` })
    const keys = `/api/v2/account/worlds/${own.world}/keys`
    const { id, key } = expectBody(await account.post(keys, { scope: 'read' }), 201)
    expect((await account.delete(`${keys}/${id}`)).status).toBe(204)
    return key
  }

  it('of links, ids, roles and sizes are a text', async () => {
    const { id } = await own.make('character')
    expectShape(await own.post(`${root}/character/`, { name: 'A', friends_ids: [absent] }), 400, text)
    expectShape(await own.patch(`${root}/character/${id}/`, { location_id: id }), 400, text)
    expectShape(await own.post(`${root}/zone/`, { id, name: 'A' }), 409, text)
    const reader = await newReader(system, own)
    expectShape(await reader.post(`${root}/zone/`, { name: 'A' }), 403, text)
    const contributor = await addMember(system, own, 'contributor')
    const by = api(system.gateway, { ...contributor.headers })
    expectShape(await by.patch(`${root}/character/${id}/`, { name: 'Mine' }), 403, text)
    expectShape(await by.delete(`${root}/character/${id}/`), 403, text)
    expectShape(await by.patch(`${root}/world/`, { name: 'Mine' }), 403, text)
  })

  it('[LM-008] of bodies over 2.5 MB are 413 in both dialects, and write nothing', async () => {
    const { id } = await own.make('character')
    const head = await own.head()
    const large = JSON.stringify({ name: 'Large', description: 'x'.repeat(2_621_440) })
    expectShape(await own.post(`${root}/character/`, large), 413, text)
    expectShape(await own.patch(`${root}/character/${id}/`, large), 413, text)
    expectShape(await own.put(`${root}/character/${id}/`, large), 413, text)
    for (const reply of [await own.post('/api/v2/character', large), await own.post('/api/v2/bulk', large)]) {
      expect([reply.status, reply.body.error.code]).toEqual([413, 'payload_too_large'])
    }
    expect(await own.head()).toBe(head)
  })
})

describe('unmatched classic paths', () => {
  it('are told in the envelope, with a text beside it', async () => {
    const unmatched = {
      detail: expect.stringMatching(/./),
      error: expect.objectContaining({ type: 'not_found', code: 'not_found', param: null }),
    }
    for (const path of [
      '/',
      '/nothing/',
      '/character/a/b/',
      '/typing/',
      '/Character/',
      `/CHARACTER/${absent}/`,
      '/world/x/',
    ]) {
      expectShape(await own.get(`${root}${path}`), 404, unmatched)
    }
    for (const [method, path] of [
      ['put', '/character/'],
      ['delete', '/character/'],
      ['post', `/character/${absent}/`],
      ['put', '/world/'],
      ['post', '/typing/Location/'],
    ] as const) {
      expectShape(await own[method](`${root}${path}`, {}), 404, unmatched)
    }
    expect((await own.get('/worldapi/character/')).body).not.toHaveProperty('detail')
  })
})
