import { randomUUID } from 'node:crypto'
import { categories } from '@worlds/domain/registry'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld, type World } from '@worlds/testkit/world'

/** What the owner can show of hidden marks; who does not see a hidden element needs members. */
describe('hidden marks', () => {
  let system: System
  let world: World
  let owner: Api
  beforeAll(async () => {
    system = await startSystem({ env: { gateway: { PIN_TRIES: '3', PIN_LOCKOUTS_MS: '60000' } } })
  })
  afterAll(() => system.stop())
  beforeEach(async () => {
    world = await newWorld(system)
    owner = api(system.gateway, { ...world.headers })
  })

  const make = async (type = 'character', name = 'Ann'): Promise<string> =>
    (await owner.post(`/api/v2/${type}`, { name })).body.id
  const head = async (): Promise<number> => (await owner.get('/api/v2/changes?head=true')).body.head
  const marks = async () => (await owner.get('/api/v2/world/hidden')).body.data
  const hide = (id: string, type = 'character') => owner.put(`/api/v2/${type}/${id}/hidden`)
  const unhide = (id: string, type = 'character') => owner.delete(`/api/v2/${type}/${id}/hidden`)

  it('[HD-001][HD-008][HD-009][HD-045] a hide changes neither the element nor who links to it', async () => {
    const id = await make()
    const carrier = (await owner.post('/api/v2/character', { name: 'Ben', friends: [id] })).body.id
    const before = await Promise.all([id, carrier].map((one) => owner.get(`/api/v2/character/${one}`)))
    expect((await hide(id)).status).toBe(204)
    const after = await Promise.all([id, carrier].map((one) => owner.get(`/api/v2/character/${one}`)))
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text))
  })

  it('[HD-002][HD-004][HD-005][HD-017] lists the mark with who set it and when', async () => {
    const id = await make()
    const reply = await hide(id)
    expect([reply.status, reply.text]).toEqual([204, ''])
    const listed = await owner.get('/api/v2/world/hidden')
    const set_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
    expect(listed.body).toEqual({ data: [{ type: 'character', id, set_at, set_by: null }] })
    expect(Object.keys(listed.body.data[0])).toEqual(['type', 'id', 'set_at', 'set_by'])
  })

  it('[HD-016][HD-018][HD-019] lists newest first, never to be stored, to the owner’s read key too', async () => {
    const ids = [await make(), await make('location'), await make('event')] as const
    await hide(ids[1], 'location')
    await hide(ids[0])
    await hide(ids[2], 'event')
    const minted = await api(system.gateway, { Authorization: `Bearer ${world.token}` }).post(
      `/api/v2/account/worlds/${world.world}/keys`,
      { scope: 'read' },
    )
    for (const reader of [owner, api(system.gateway, { 'API-Key': minted.body.key })]) {
      const listed = await reader.get('/api/v2/world/hidden')
      expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[0], ids[1]])
      expect(listed.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('[HD-064] a read key that the owner mints shows what was hidden', async () => {
    const id = await make()
    await hide(id)
    const { body } = await api(system.gateway, { Authorization: `Bearer ${world.token}` }).post(
      `/api/v2/account/worlds/${world.world}/keys`,
      { scope: 'read' },
    )
    const reader = api(system.gateway, { 'API-Key': body.key })
    expect((await reader.get(`/api/v2/character/${id}`)).status).toBe(200)
    expect((await reader.get('/api/v2/character')).body.data).toHaveLength(1)
  })

  it('[HD-012][CF-001] takes one place, and none when it is hidden already', async () => {
    const id = await make()
    const before = await head()
    await hide(id)
    expect(await head()).toBe(before + 1)
    const first = await marks()
    expect((await hide(id)).status).toBe(204)
    expect(await head()).toBe(before + 1)
    expect(await marks()).toEqual(first)
  })

  it('[HD-010][HD-013] is taken away without a place, and what was not hidden stays so', async () => {
    const id = await make()
    await hide(id)
    const before = await head()
    for (let time = 0; time < 2; time += 1) {
      const reply = await unhide(id)
      expect([reply.status, reply.text]).toEqual([204, ''])
      expect(await marks()).toEqual([])
      expect(await head()).toBe(before)
    }
  })

  it('gives the owner no record in the feed, whose cursor still comes to stand at head', async () => {
    const id = await make()
    const { cursor } = (await owner.get('/api/v2/changes')).body
    await hide(id)
    const { body } = await owner.get(`/api/v2/changes?since=${cursor}`)
    expect(body).toMatchObject({ changes: [], has_more: false, head: 2, epoch: null })
    expect(body.cursor).toBe((await owner.get('/api/v2/changes?head=true')).body.cursor)
  })

  it('[HD-014] goes with its element, and does not come back with it', async () => {
    const id = await make()
    await hide(id)
    await owner.delete(`/api/v2/character/${id}`)
    expect(await marks()).toEqual([])
    expect((await owner.put(`/api/v2/character/${id}`, { name: 'again' })).status).toBe(201)
    expect(await marks()).toEqual([])
  })

  it('stays through a PUT and a PATCH, and lets an If-Match from before it hold (A29, B16)', async () => {
    const id = await make()
    const { change_seq } = (await owner.get(`/api/v2/character/${id}`)).body
    await hide(id)
    const patched = await owner.patch(`/api/v2/character/${id}`, { level: 1 }, { 'If-Match': String(change_seq) })
    expect(patched.status).toBe(200)
    await owner.put(`/api/v2/character/${id}`, { name: 'whole' })
    expect((await marks()).map((mark: { id: string }) => mark.id)).toEqual([id])
  })

  it.each(['put', 'delete'] as const)('[HD-006][HD-011] %s wants the PIN', async (method) => {
    const id = await make()
    const before = await head()
    const reply = await api(system.gateway, { 'API-Key': world.key })[method](`/api/v2/character/${id}/hidden`)
    expect([reply.status, reply.body.error.code]).toEqual([401, 'invalid_credentials'])
    expect(await head()).toBe(before)
  })

  it.each(['put', 'delete'] as const)(
    '[HD-007][HD-011][HD-029] %s wants an element of this category',
    async (method) => {
      const id = await make()
      for (const path of [`/api/v2/location/${id}`, `/api/v2/character/${randomUUID()}`]) {
        const reply = await owner[method](`${path}/hidden`)
        expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found'])
      }
      expect(await marks()).toEqual([])
    },
  )

  it.each(['put', 'delete'] as const)('[HD-030] %s of a malformed id is 422', async (method) => {
    const reply = await owner[method]('/api/v2/character/abc/hidden')
    expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([422, 'invalid_request', 'id'])
  })

  it.each(['put', 'delete'] as const)('[HD-023] %s by a read key is 403 before the id is looked at', async (method) => {
    const { body } = await api(system.gateway, { Authorization: `Bearer ${world.token}` }).post(
      `/api/v2/account/worlds/${world.world}/keys`,
      { scope: 'read' },
    )
    const reader = api(system.gateway, { 'API-Key': body.key })
    const replies = []
    for (const id of [await make(), randomUUID(), 'abc'])
      replies.push(await reader[method](`/api/v2/character/${id}/hidden`))
    expect(replies.map(({ status, body: { error } }) => [status, error.code])).toEqual(
      Array(3).fill([403, 'permission_error']),
    )
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  })

  it.each([undefined, '{"fields": []}', '{}'])('[HD-025][HD-026] takes the body %p', async (body) => {
    const id = await make()
    expect((await owner.put(`/api/v2/character/${id}/hidden`, body)).status).toBe(204)
    expect(await marks()).toHaveLength(1)
    expect((await owner.delete(`/api/v2/character/${id}/hidden`, body)).status).toBe(204)
    expect(await marks()).toEqual([])
  })

  it.each([
    ['HD-027', '{"fields": ["name"]}', 'fields'],
    ['HD-027', '{"fields": "name"}', 'fields'],
    ['HD-028', '{"foo": 1}', 'foo'],
    ['HD-028', '[]', null],
    ['HD-028', '{', null],
  ])('[%s] refuses the body %s', async (_id, body, param) => {
    const id = await make()
    for (const method of ['put', 'delete'] as const) {
      const reply = await owner[method](`/api/v2/character/${id}/hidden`, body)
      expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([422, 'invalid_request', param])
    }
    expect(await marks()).toEqual([])
  })

  it('[HD-031] wrong PINs lead to 429', async () => {
    const id = await make()
    const guess = () => owner.put(`/api/v2/character/${id}/hidden`, undefined, { 'API-Pin': '9999' })
    for (let time = 0; time < 3; time += 1) expect((await guess()).status).toBe(401)
    const locked = await guess()
    expect([locked.status, locked.body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('[ID-015] takes no idempotency key', async () => {
    const id = await make()
    const key = { 'Idempotency-Key': 'one' }
    for (const reply of [
      await owner.put(`/api/v2/character/${id}/hidden`, undefined, key),
      await owner.delete(`/api/v2/character/${id}/hidden`, undefined, key),
    ]) {
      expect([reply.status, reply.headers.get('idempotent-replay')]).toEqual([204, null])
    }
    expect(await marks()).toEqual([])
  })

  it('works on every category, and many hides at once take a place each', async () => {
    const made = await Promise.all([...categories.keys()].map(async (type) => ({ type, id: await make(type) })))
    const before = await head()
    await Promise.all(made.flatMap(({ type, id }) => [hide(id, type), hide(id, type)]))
    expect(await head()).toBe(before + made.length)
    expect(await marks()).toHaveLength(made.length)
  })
})
