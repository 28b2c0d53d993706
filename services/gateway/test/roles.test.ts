import { randomUUID } from 'node:crypto'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { expectRefused, expectUnwritten, newParty, type Party } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let contributor: Party

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  contributor = await newParty(system, own, 'contributor')
})

const path = (id: string) => `/api/v2/character/${id}`
const made = async (by: Api, fields: Body = {}): Promise<string> =>
  expectBody(await by.post('/api/v2/character', { name: 'Ann', ...fields }), 201).id
const hide = async (id: string) => expect((await own.put(`${path(id)}/hidden`)).status).toBe(204)
const idsOf = async (by: Api): Promise<string[]> =>
  expectBody(await by.get('/api/v2/character'), 200).data.map(({ id }: Body) => id)

/** Each way to change an element that is there, with what it answers. */
const changes: readonly [name: string, change: (by: Api, id: string) => Promise<ApiReply>, status: number][] = [
  ['PATCH', (by, id) => by.patch(path(id), { name: 'patched' }), 200],
  ['PUT', (by, id) => by.put(path(id), { name: 'replaced' }), 200],
  ['links', (by, id) => by.post(`${path(id)}/links/friends`, { add: [id] }), 200],
  ['bulk', (by, id) => by.post('/api/v2/bulk', { items: [{ type: 'character', element: { id, name: 'bulk' } }] }), 200],
  ['DELETE', (by, id) => by.delete(path(id)), 204],
]

describe.each(['owner', 'co_builder', 'co_builder seat'] as const)('%s', (name) => {
  let party: Party
  beforeEach(async () => {
    party = await newParty(system, own, name)
  })

  it('[RL-002][RL-005] sees everything, hidden included, by a read key too', async () => {
    const hidden = [await made(own), await made(contributor)]
    const open = [await made(own), await made(contributor)]
    for (const id of hidden) await hide(id)
    const before = name === 'owner' ? [] : [party.character].filter((id) => id !== null)
    expect(await idsOf(party)).toEqual([...before, ...hidden, ...open])
    for (const id of [...hidden, ...open])
      expect(expectBody(await party.get(path(id)), 200)).toEqual(await own.read('character', id))
  })

  it.each(changes)('[RL-003][RL-006] changes what others made, hidden or not, by %s', async (_way, change, status) => {
    const ids = [await made(own), await made(contributor), await made(contributor)]
    await hide(ids[2] as string)
    const head = await own.head()
    for (const id of ids) expectBody(await change(party, id), status)
    expect(await own.head()).toBe(head + ids.length)
  })

  it('[RL-003][RL-006] leaves created_by with who created it', async () => {
    const id = await made(contributor)
    for (const [, change] of changes.slice(0, 4)) await change(party, id)
    const read = await own.read('character', id)
    expect([read.name, read.created_by]).toEqual(['bulk', contributor.membership])
  })
})

describe.each(['owner', 'co_builder', 'co_builder seat', 'contributor', 'contributor seat', 'guest'] as const)(
  'the world’s own fields by %s',
  (name) => {
    it('[RL-004][WD-026][WD-027] are the owner’s to change', async () => {
      const party = await newParty(system, own, name)
      const write = () => party.patch('/api/v2/world', { description: 'Changed' })
      if (name === 'owner') expect(expectBody(await write(), 200).description).toBe('Changed')
      else await expectUnwritten(own, write, 403, 'owner_only')
      const { description } = expectBody(await own.get('/api/v2/world'), 200)
      expect(description).toBe(name === 'owner' ? 'Changed' : '')
    })
  },
)

describe.each(['contributor', 'contributor seat'] as const)('%s', (name) => {
  let party: Party
  beforeEach(async () => {
    party = await newParty(system, own, name)
  })

  it('[RL-007] sees everything but hidden elements that others created', async () => {
    const [open, others, hidden, mine] = [await made(own), await made(contributor), await made(own), await made(party)]
    await hide(hidden)
    await hide(mine)
    const before = [party.character].filter((id) => id !== null)
    expect(await idsOf(party)).toEqual([...before, open, others, mine])
    expectRefused(await party.get(path(hidden)), 404, 'not_found')
  })

  it('[RL-009][EL-027] creates elements, by POST, PUT and bulk', async () => {
    const { membership } = party
    expect(expectBody(await party.post('/api/v2/event', { name: 'E' }), 201).created_by).toBe(membership)
    const id = randomUUID()
    expect(expectBody(await party.put(path(id), { name: 'C' }), 201).created_by).toBe(membership)
    const items = [{ type: 'event', element: { name: 'B' } }]
    const [slot] = expectBody(await party.post('/api/v2/bulk', { items }), 200).items
    expect([slot.status, (await own.read('event', slot.id)).created_by]).toEqual([201, membership])
  })

  it.each(changes)('[RL-008] changes what it created by %s, hidden or not', async (_way, change, status) => {
    const ids = [await made(party), await made(party)]
    await hide(ids[1] as string)
    for (const id of ids) expectBody(await change(party, id), status)
  })

  it.each(changes.filter(([way]) => way !== 'bulk'))(
    '[RL-016][RL-017][RL-018][LK-028] may not change what others created by %s',
    async (_way, change) => {
      for (const id of [await made(own), await made(contributor.membership === party.membership ? own : contributor)])
        await expectUnwritten(own, () => change(party, id), 403, 'not_author')
    },
  )

  it('[RL-016][BK-015] may not change what others created in a bulk, item by item', async () => {
    const [theirs, mine] = [await made(own), await made(party)]
    const items = [theirs, mine].map((id) => ({ type: 'character', element: { id, name: 'bulk' } }))
    const { body } = await party.post('/api/v2/bulk', { items })
    expect([body.errors, body.items[0].status, body.items[0].error.code, body.items[1].status]).toEqual([
      true,
      403,
      'not_author',
      200,
    ])
    expect((await own.read('character', theirs)).name).toBe('Ann')
    expect((await own.read('character', mine)).name).toBe('bulk')
  })

  it('[RL-017] may not take an id that another category holds, which is told before whose it is', async () => {
    const theirs = await made(own)
    await expectUnwritten(own, () => party.put(`/api/v2/event/${theirs}`, { name: 'x' }), 409, 'id_conflict', 'id')
    const items = [{ type: 'event', element: { id: theirs, name: 'x' } }]
    const [slot] = expectBody(await party.post('/api/v2/bulk', { items }), 200).items
    expect([slot.status, slot.error.code]).toEqual([422, 'apply_failed'])
  })

  it('[RL-016] is told of a wrong PIN before all that its role forbids', async () => {
    const theirs = await made(own)
    const wrong = api(system.gateway, { ...party.headers, 'API-Pin': '9999' })
    for (const reply of [
      await wrong.patch(path(theirs), { name: 'x' }),
      await wrong.put(`${path(theirs)}/hidden`),
      await wrong.patch('/api/v2/world', { name: 'x' }),
    ])
      expectRefused(reply, 401, 'invalid_credentials')
  })
})
