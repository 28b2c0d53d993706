import { randomUUID } from 'node:crypto'
import type { Api, ApiReply } from '@worlds/testkit/api'
import { addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectUnwritten, newParty, type Party } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

describe.each(['contributor', 'contributor seat', 'guest', 'guest seat'] as const)('writes by a %s', (name) => {
  let writer: Party
  /** Hidden from the writer, each of them addressed to it or on the roster: a guest would see them else. */
  let secret: string
  let secretOne: string
  let open: string
  beforeEach(async () => {
    own = await newOwner(system)
    writer = await newParty(system, own, name)
    secretOne = (await addSeat(system, own)).character ?? ''
    open = (await own.make('character')).id
    const told = [writer.character ?? open]
    expectBody(await own.patch('/api/v2/world', { owner_character: open }), 200)
    secret = (await own.make('narrative', { name: 'Secret', characters: told })).id
    await hide('narrative', secret)
    await hide('character', secretOne)
  })

  const hide = async (type: string, id: string) =>
    expect((await own.put(`/api/v2/${type}/${id}/hidden`)).status).toBe(204)
  const bulk = async (element: Body, more: Body[] = []): Promise<Body[]> => {
    const items = [element, ...more].map((one) => ({ type: 'narrative', element: one }))
    return expectBody(await writer.post('/api/v2/bulk', { items }), 200).items
  }
  const mine = async (fields: Body = {}): Promise<string> =>
    expectBody(await writer.post('/api/v2/narrative', { name: 'Mine', ...fields }), 201).id

  /** Each way to link to the hidden narrative or the hidden Character. */
  const linking: readonly [string, (by: Api, id: string) => Promise<ApiReply>, string][] = [
    ['POST', (by) => by.post('/api/v2/narrative', { name: 'x', parent_narrative: secret }), 'parent_narrative'],
    ['POST multi', (by) => by.post('/api/v2/narrative', { name: 'x', characters: [open, secretOne] }), 'characters'],
    ['PUT', (by, id) => by.put(`/api/v2/narrative/${id}`, { name: 'x', protagonist: secretOne }), 'protagonist'],
    ['PUT new', (by) => by.put(`/api/v2/narrative/${randomUUID()}`, { name: 'x', narrator: secretOne }), 'narrator'],
    ['PATCH', (by, id) => by.patch(`/api/v2/narrative/${id}`, { characters: [secretOne] }), 'characters'],
    ['links', (by, id) => by.post(`/api/v2/narrative/${id}/links/characters`, { add: [secretOne] }), 'characters'],
    ['pin', (by) => by.post('/api/v2/pin', { name: 'x', element_type: 'narrative', element_id: secret }), 'element_id'],
  ]

  it.each(linking)('[HD-050] may not link to what is hidden, by %s', async (_way, link, param) => {
    const id = await mine()
    await expectUnwritten(own, () => link(writer, id), 400, 'invalid_link', param)
  })

  it('[HD-050] may not link to what is hidden in a bulk, item by item', async () => {
    const [bad, good] = await bulk({ name: 'x', parent_narrative: secret }, [{ name: 'y', characters: [open] }])
    expect([bad.status, bad.error.code, bad.error.param, good.status]).toEqual([
      400,
      'invalid_link',
      'parent_narrative',
      201,
    ])
  })

  const touching: readonly [string, string, (by: Api) => Promise<ApiReply>][] = [
    ['HD-051', 'PATCH', (by) => by.patch(`/api/v2/narrative/${secret}`, { name: 'x' })],
    ['HD-051', 'PATCH with If-Match', (by) => by.patch(`/api/v2/narrative/${secret}`, {}, { 'If-Match': '1' })],
    ['HD-052', 'links', (by) => by.post(`/api/v2/narrative/${secret}/links/events`, { add: [] })],
    ['HD-053', 'PUT', (by) => by.put(`/api/v2/narrative/${secret}`, { name: 'x' })],
    ['HD-053', 'PUT as another category', (by) => by.put(`/api/v2/event/${secret}`, { name: 'x' })],
    ['HD-054', 'POST', (by) => by.post('/api/v2/narrative', { id: secret, name: 'x' })],
    ['HD-054', 'POST as another category', (by) => by.post('/api/v2/event', { id: secret, name: 'x' })],
  ]

  it.each(touching)('[%s] find nothing to change by %s', async (_id, _way, write) => {
    await expectUnwritten(own, () => write(writer), 404, 'not_found')
  })

  it('[HD-055] delete nothing, and say that it is gone', async () => {
    const head = await own.head()
    const { status, text } = await writer.delete(`/api/v2/narrative/${secret}`)
    expect([status, text, await own.head()]).toEqual([204, '', head])
    expect((await own.read('narrative', secret)).name).toBe('Secret')
  })

  it('[HD-056][BK-016] fail in the slot of a bulk that names it, and in no other', async () => {
    const slots = await bulk({ id: secret, name: 'x' }, [{ name: 'y' }, { name: 'z', parent_narrative: secret }])
    expect(slots.map(({ status, error }) => [status, error?.code])).toEqual([
      [404, 'not_found'],
      [201, undefined],
      [400, 'invalid_link'],
    ])
    expect(slots[0].id).toBe(secret)
    const items = [
      { type: 'narrative', element: { id: secret, name: 'x' } },
      { type: 'event', element: { name: 'y' } },
    ]
    const head = await own.head()
    const atomic = expectBody(await writer.post('/api/v2/bulk', { atomic: true, items }), 200)
    expect([atomic.errors, await own.head(), (await own.read('narrative', secret)).name]).toEqual([
      true,
      head,
      'Secret',
    ])
  })

  /** Each way to write an element of its own that links to what is hidden: stored is what the owner reads then. */
  const keeping: readonly [string, (id: string) => Promise<ApiReply>, Body][] = [
    ['PATCH of other fields', (id) => writer.patch(`/api/v2/narrative/${id}`, { name: 'x' }), {}],
    [
      'PATCH to nothing',
      (id) => writer.patch(`/api/v2/narrative/${id}`, { characters: [], parent_narrative: null }),
      { characters: ['secretOne'] },
    ],
    ['PATCH to what it reads', (id) => writer.patch(`/api/v2/narrative/${id}`, { characters: [open] }), {}],
    ['PUT', (id) => writer.put(`/api/v2/narrative/${id}`, { name: 'x' }), { characters: ['secretOne'] }],
    [
      'links',
      (id) => writer.post(`/api/v2/narrative/${id}/links/characters`, { remove: [open, secretOne] }),
      { characters: ['secretOne'] },
    ],
    [
      'bulk',
      (id) => writer.post('/api/v2/bulk', { items: [{ type: 'narrative', element: { id, name: 'x' } }] }),
      { characters: ['secretOne'] },
    ],
  ]

  it.each(keeping)('[HD-057] keep the links that they do not see: %s', async (_way, write, left) => {
    const id = await mine()
    const links = { parent_narrative: secret, protagonist: secretOne, characters: [open, secretOne] }
    expectBody(await own.patch(`/api/v2/narrative/${id}`, links), 200)
    const read = expectBody(await writer.get(`/api/v2/narrative/${id}`), 200)
    expect(read).toMatchObject({ parent_narrative: null, protagonist: null, characters: [open] })
    const reply = await write(id)
    expect(reply.status).toBe(200)
    expect(reply.text).not.toContain(secretOne)
    const characters = left.characters === undefined ? links.characters : [secretOne]
    expect(await own.read('narrative', id)).toMatchObject({ ...links, characters })
  })

  it('[HD-057] replace a single link that they do not see by one that they name', async () => {
    const id = await mine()
    expectBody(await own.patch(`/api/v2/narrative/${id}`, { protagonist: secretOne }), 200)
    const reply = await writer.patch(`/api/v2/narrative/${id}`, { protagonist: open })
    expect(expectBody(reply, 200).protagonist).toBe(open)
    expect((await own.read('narrative', id)).protagonist).toBe(open)
  })

  it('[HD-057] keep both halves of a pin’s link that they do not see', async () => {
    const pin = expectBody(await writer.post('/api/v2/pin', { name: 'Pin' }), 201).id
    expectBody(await own.patch(`/api/v2/pin/${pin}`, { element_type: 'narrative', element_id: secret }), 200)
    const read = expectBody(await writer.put(`/api/v2/pin/${pin}`, { name: 'x' }), 200)
    expect([read.element_type, read.element_id]).toEqual(['', null])
    expect(await own.read('pin', pin)).toMatchObject({ element_type: 'narrative', element_id: secret })
  })

  it('are shown without what they do not see, in a 412 too', async () => {
    const id = await mine()
    expectBody(await own.patch(`/api/v2/narrative/${id}`, { parent_narrative: secret, characters: [secretOne] }), 200)
    const stale = await writer.patch(`/api/v2/narrative/${id}`, { name: 'x' }, { 'If-Match': '1' })
    const cut = expectBody(await writer.get(`/api/v2/narrative/${id}`), 200)
    expect([stale.status, stale.body.current]).toEqual([412, cut])
    expect([cut.parent_narrative, cut.characters]).toEqual([null, []])
  })

  it('of what they delete clear the links of carriers too that they do not see, and tell nothing of these', async () => {
    const id = await mine()
    expectBody(await own.patch(`/api/v2/narrative/${secret}`, { parent_narrative: id }), 200)
    const since = async (cursor: string) => expectBody(await writer.get(`/api/v2/changes?since=${cursor}`), 200)
    const { cursor } = await since('0')
    expect((await writer.delete(`/api/v2/narrative/${id}`)).status).toBe(204)
    expect((await own.read('narrative', secret)).parent_narrative).toBeNull()
    const { changes } = await since(cursor)
    expect(changes.map((record: Body) => [record.op, record.id, record.deleted_by])).toEqual([
      ['delete', id, writer.membership],
    ])
  })
})
