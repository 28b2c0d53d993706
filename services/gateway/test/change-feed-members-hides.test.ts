import type { Api, ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newParty, type Party, refusal, writerOf } from './permission-parties'
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

const changes = (by: Api, since = '0'): Promise<ApiReply> => by.get(`/api/v2/changes?since=${since}`)
const feed = async (by: Api, since = '0'): Promise<Body> => expectBody(await changes(by, since), 200)
const told = ({ changes: records }: Body): [string, string, string | undefined][] =>
  records.map(({ op, id, reason }: Body) => [op, id, reason])
const hide = async (type: string, id: string, by: Api = own) =>
  expect((await by.put(`/api/v2/${type}/${id}/hidden`)).status).toBe(204)
const show = async (type: string, id: string) =>
  expect((await own.delete(`/api/v2/${type}/${id}/hidden`)).status).toBe(204)
const remove = async (type: string, id: string) => expect((await own.delete(`/api/v2/${type}/${id}`)).status).toBe(204)

function expectResync({ status, body }: ApiReply, reason: string): void {
  const error = { ...refusal('resync_required', 'since'), reason }
  expect({ status, body }).toEqual({ status: 409, body: { error, reason } })
}

describe.each(['contributor', 'contributor seat', 'read key of a contributor'] as const)('hides, to a %s', (name) => {
  let reader: Party
  let id: string
  let cursor: string
  let epoch: number
  beforeEach(async () => {
    reader = await newParty(system, own, name)
    id = (await own.make('event')).id
    ;({ cursor, epoch } = await feed(reader))
  })

  it.each(['owner', 'co_builder'] as const)('[CF-021] are told as deletions, whoever hid: %s', async (hider) => {
    const builder = await newParty(system, own, 'co_builder')
    ;({ cursor } = await feed(reader))
    await hide('event', id, hider === 'owner' ? own : builder)
    const [mark] = expectBody(await own.get('/api/v2/world/hidden'), 200).data
    const page = await feed(reader, cursor)
    expect(page.changes).toEqual([
      {
        op: 'delete',
        type: 'event',
        id,
        change_seq: await own.head(),
        deleted_at: mark.set_at,
        deleted_by: null,
        deleted_via: 'api',
        reason: 'hidden',
      },
    ])
    expect([page.epoch, page.epoch_reason]).toEqual([epoch, null])
    expect((await feed(reader, page.cursor)).changes).toEqual([])
  })

  it('[CF-021] are not told to who created what is hidden', async () => {
    const mine = expectBody(await writerOf(reader).post('/api/v2/event', { name: 'Mine' }), 201)
    ;({ cursor } = await feed(reader))
    await hide('event', mine.id)
    expect((await feed(reader, cursor)).changes).toEqual([])
    expect(told(await feed(reader))).toContainEqual(['upsert', mine.id, undefined])
  })

  it('[CF-050] are told when they were made after its view began, and not when before', async () => {
    await hide('event', id)
    expect(told(await feed(reader)).at(-1)).toEqual(['delete', id, 'hidden'])
    const late = await newParty(system, own, name)
    expect(told(await feed(late)).filter(([, one]) => one === id)).toEqual([])
  })

  it('[CF-051] of what was made while it did not look tell of an unknown id, never of its body', async () => {
    const secret = await own.make('event', { name: 'A secret name' })
    await hide('event', secret.id)
    const page = await changes(reader, cursor)
    expect(told(expectBody(page, 200))).toEqual([['delete', secret.id, 'hidden']])
    expect(page.text).not.toContain('A secret name')
  })

  it('[CF-052] keep back the tombstone of the same id', async () => {
    await remove('event', id)
    expectBody(await own.put(`/api/v2/event/${id}`, { name: 'again' }), 201)
    await hide('event', id)
    expect(told(await feed(reader)).filter(([, one]) => one === id)).toEqual([['delete', id, 'hidden']])
    const late = await newParty(system, own, name)
    expect(told(await feed(late)).filter(([, one]) => one === id)).toEqual([])
  })

  it('[CF-040] keep back no deletion: of what was hidden, of what was shown, of what nobody told', async () => {
    const other = (await own.make('event')).id
    ;({ cursor } = await feed(reader))
    const secret = (await own.make('event')).id
    for (const one of [other, secret]) await hide('event', one)
    for (const one of [id, other, secret]) await remove('event', one)
    expect(told(await feed(reader, cursor))).toEqual([id, other, secret].map((one) => ['delete', one, 'deleted']))
    expect(told(await feed(reader)).filter(([op]) => op === 'delete')).toHaveLength(3)
  })

  it('[CF-044][CF-045][CF-048] that end begin its view anew, with who linked to it as it was', async () => {
    const carrier = await own.make('narrative', { events: [id] })
    await hide('event', id)
    const held = await feed(reader)
    expect(held.changes.find((record: Body) => record.id === carrier.id).element.events).toEqual([])
    await show('event', id)
    expectResync(await changes(reader, held.cursor), 'view')
    const again = await feed(reader)
    expect([again.epoch, again.epoch_reason]).toEqual([held.epoch + 1, 'view'])
    expect(again.changes.find((record: Body) => record.id === carrier.id).element).toEqual(carrier)
    expect(told(again)).toContainEqual(['upsert', id, undefined])
    expect((await feed(reader, again.cursor)).changes).toEqual([])
  })

  it('that end move nothing for who created what was hidden, nor when there was none', async () => {
    const mine = expectBody(await writerOf(reader).post('/api/v2/event', { name: 'Mine' }), 201)
    await hide('event', mine.id)
    ;({ cursor } = await feed(reader))
    await show('event', mine.id)
    await show('event', id)
    expect(await feed(reader, cursor)).toMatchObject({ changes: [], epoch })
  })
})

describe.each(['guest', 'guest seat', 'read key of a guest', 'player'] as const)('hides, to a %s', (name) => {
  let reader: Party
  let id: string
  let cursor: string
  beforeEach(async () => {
    reader = await newParty(system, own, name)
    id = (await own.make('event', { characters: [reader.character] })).id
    ;({ cursor } = await feed(reader))
  })

  it('[CF-022][CF-041][CF-044][CF-045][CF-046][CF-048] are told as no deletion: its view begins anew', async () => {
    await hide('event', id)
    expectResync(await changes(reader, cursor), 'view')
    const again = await feed(reader)
    expect(told(again)).toEqual([['upsert', reader.character, undefined]])
    expect([again.epoch, again.epoch_reason]).toEqual([2, 'view'])
    expect((await feed(reader, again.cursor)).changes).toEqual([])
    await show('event', id)
    expectResync(await changes(reader, again.cursor), 'view')
    expect(told(await feed(reader))).toContainEqual(['upsert', id, undefined])
  })

  it('[CF-041] of what it never saw are not told at all', async () => {
    const unseen = (await own.make('event')).id
    await hide('event', unseen)
    expect((await feed(reader, cursor)).changes).toEqual([])
    await show('event', unseen)
    expect((await feed(reader, cursor)).changes).toEqual([])
  })

  it('[CF-052] that keep back a deletion begin its view anew', async () => {
    await remove('event', id)
    expectBody(await own.put(`/api/v2/event/${id}`, { name: 'again' }), 201)
    await hide('event', id)
    expectResync(await changes(reader, cursor), 'view')
    expect(told(await feed(reader))).toEqual([['upsert', reader.character, undefined]])
  })
})
