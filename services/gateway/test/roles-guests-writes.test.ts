import { randomUUID } from 'node:crypto'
import type { Api, ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused, expectUnwritten, newParty, type Party } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const _idsOf = async (by: Api, path: string): Promise<string[]> =>
  expectBody(await by.get(`/api/v2/${path}`), 200).data.map(({ id }: Body) => id)
const madeBy = async (by: Api, type: string, fields: Body = {}): Promise<string> =>
  expectBody(await by.post(`/api/v2/${type}`, { name: 'Made', ...fields }), 201).id

/** Each way to change an element, or to make it of a given id. */
const writes: readonly [string, (by: Api, type: string, id: string) => Promise<ApiReply>][] = [
  ['PATCH', (by, type, id) => by.patch(`/api/v2/${type}/${id}`, { name: 'x' })],
  ['PUT', (by, type, id) => by.put(`/api/v2/${type}/${id}`, { name: 'x' })],
  ['links', (by, type, id) => by.post(`/api/v2/${type}/${id}/links/characters`, { add: [] })],
  ['DELETE', (by, type, id) => by.delete(`/api/v2/${type}/${id}`)],
]

describe.each(['guest', 'guest seat'] as const)('what a guest may do: %s', (name) => {
  let guest: Party
  let me: string
  beforeEach(async () => {
    guest = await newParty(system, own, name)
    me = guest.character ?? ''
  })

  it('[RL-015][EL-027] create elements, by POST, PUT and bulk', async () => {
    const [posted, put] = [await madeBy(guest, 'location'), randomUUID()]
    expectBody(await guest.put(`/api/v2/location/${put}`, { name: 'P' }), 201)
    const items = [{ type: 'location', element: { name: 'B' } }]
    const [slot] = expectBody(await guest.post('/api/v2/bulk', { items }), 200).items
    expect(slot.status).toBe(201)
    for (const id of [posted, put, slot.id]) expect((await own.read('location', id)).created_by).toBe(guest.membership)
  })

  it.each(writes)('[RL-014] change what it created by %s', async (way, write) => {
    const id = await madeBy(guest, 'narrative')
    expectBody(await write(guest, 'narrative', id), way === 'DELETE' ? 204 : 200)
  })

  it('[RL-014] change its Character, which it created by coming', async () => {
    expect(expectBody(await guest.patch(`/api/v2/character/${me}`, { name: 'Named' }), 200).name).toBe('Named')
  })

  it.each(writes)('[RL-019][RL-020][RL-021][LK-029] not change by %s what it sees of others', async (_way, write) => {
    const id = await madeBy(own, 'narrative', { characters: [me] })
    await expectUnwritten(own, () => write(guest, 'narrative', id), 403, 'not_author')
  })

  it('[RL-024] nothing with what it does not see, as if it were not there', async () => {
    const id = await madeBy(own, 'narrative')
    const head = await own.head()
    for (const [way, write] of writes) {
      if (way === 'DELETE') expect((await write(guest, 'narrative', id)).status).toBe(204)
      else expectRefused(await write(guest, 'narrative', id), 404, 'not_found')
    }
    expectRefused(await guest.get(`/api/v2/narrative/${id}`), 404, 'not_found')
    expectRefused(await guest.post('/api/v2/narrative', { id, name: 'x' }), 404, 'not_found')
    const items = [{ type: 'narrative', element: { id, name: 'x' } }]
    const [slot] = expectBody(await guest.post('/api/v2/bulk', { items }), 200).items
    expect([slot.status, slot.error.code]).toEqual([404, 'not_found'])
    expect([await own.head(), (await own.read('narrative', id)).name]).toEqual([head, 'Made'])
  })

  it('[RL-027] not link to what it does not see', async () => {
    const [unseen, mine] = [await madeBy(own, 'character'), await madeBy(guest, 'narrative')]
    const refused: [Promise<ApiReply>, string][] = [
      [guest.post('/api/v2/narrative', { name: 'x', characters: [me, unseen] }), 'characters'],
      [guest.put(`/api/v2/narrative/${mine}`, { name: 'x', protagonist: unseen }), 'protagonist'],
      [guest.patch(`/api/v2/narrative/${mine}`, { narrator: unseen }), 'narrator'],
      [guest.post(`/api/v2/narrative/${mine}/links/characters`, { add: [unseen] }), 'characters'],
    ]
    for (const [reply, param] of refused) expectRefused(await reply, 400, 'invalid_link', param)
    const items = [{ type: 'narrative', element: { name: 'x', characters: [unseen] } }]
    const [slot] = expectBody(await guest.post('/api/v2/bulk', { items }), 200).items
    expect([slot.status, slot.error.code, slot.error.param]).toEqual([400, 'invalid_link', 'characters'])
  })

  it('[RL-030] not take away links that it does not see', async () => {
    const [unseen, place, mine] = [
      await madeBy(own, 'character'),
      await madeBy(own, 'location'),
      await madeBy(guest, 'narrative'),
    ]
    const kept = { characters: [me, unseen], locations: [place], protagonist: unseen }
    const relink = () => own.patch(`/api/v2/narrative/${mine}`, kept)
    const path = `/api/v2/narrative/${mine}`
    const ways: [() => Promise<ApiReply>, Body][] = [
      [
        () => guest.patch(path, { characters: [], locations: [], protagonist: null }),
        { ...kept, characters: [unseen] },
      ],
      [() => guest.patch(path, { characters: [me] }), kept],
      [() => guest.put(path, { name: 'x' }), { ...kept, characters: [unseen] }],
      [() => guest.put(path, { name: 'x', protagonist: me }), { ...kept, characters: [unseen], protagonist: me }],
      [() => guest.post(`${path}/links/characters`, { remove: [me, unseen] }), { ...kept, characters: [unseen] }],
      [
        () => guest.post('/api/v2/bulk', { items: [{ type: 'narrative', element: { id: mine, name: 'x' } }] }),
        { ...kept, characters: [unseen] },
      ],
    ]
    for (const [write, expected] of ways) {
      expectBody(await relink(), 200)
      const reply = await write()
      expect(reply.status).toBe(200)
      expect(reply.text).not.toContain(unseen)
      expect(await own.read('narrative', mine)).toMatchObject(expected)
    }
  })

  it('take what they delete out of who links to it, whom they do not see', async () => {
    const mine = await madeBy(guest, 'event')
    const carrier = await own.make('narrative', { events: [mine] })
    expect((await guest.delete(`/api/v2/event/${mine}`)).status).toBe(204)
    const { events, change_seq } = await own.read('narrative', carrier.id)
    expect([events, change_seq, await own.head()]).toEqual([[], carrier.change_seq + 1, carrier.change_seq + 2])
  })

  it('lose their Character with its element', async () => {
    expect((await guest.delete(`/api/v2/character/${me}`)).status).toBe(204)
    expect(expectBody(await guest.get('/api/v2/me'), 200).character).toBeNull()
    expect(expectBody(await own.get('/api/v2/members'), 200).data.at(-1).character).toBeNull()
  })
})
