import { randomUUID } from 'node:crypto'
import type { Api, ApiReply } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { newParty, refusal } from './permission-parties'
import { type Body, expectBody, newOwner, type Owner, timestampForm } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const marks = async (by: Api): Promise<Body[]> => expectBody(await by.get('/api/v2/world/hidden'), 200).data

describe.each(['co_builder', 'co_builder seat'] as const)('hiding by a %s', (name) => {
  it('[HD-003][HD-016][HD-020][HD-021] uses all three routes, and signs its marks', async () => {
    const builder = await newParty(system, own, name)
    const { id } = await own.make('event')
    const other = (await own.make('event')).id
    expect((await own.put(`/api/v2/event/${other}/hidden`)).status).toBe(204)
    const hidden = await builder.put(`/api/v2/event/${id}/hidden`)
    expect([hidden.status, hidden.text]).toEqual([204, ''])
    const expected = [
      { type: 'event', id, set_at: expect.stringMatching(timestampForm), set_by: builder.membership },
      { type: 'event', id: other, set_at: expect.stringMatching(timestampForm), set_by: null },
    ]
    expect(await marks(builder)).toEqual(expected)
    expect(await marks(own)).toEqual(expected)
    for (const one of [id, other]) {
      const shown = await builder.delete(`/api/v2/event/${one}/hidden`)
      expect([shown.status, shown.text]).toEqual([204, ''])
    }
    expect(await marks(own)).toEqual([])
  })

  it('[HD-012] leaves a mark with who set it first', async () => {
    const builder = await newParty(system, own, name)
    const { id } = await own.make('event')
    expect((await builder.put(`/api/v2/event/${id}/hidden`)).status).toBe(204)
    const first = await marks(own)
    expect((await own.put(`/api/v2/event/${id}/hidden`)).status).toBe(204)
    expect(await marks(own)).toEqual(first)
    expect(first[0].set_by).toBe(builder.membership)
  })
})

const others = ['contributor', 'contributor seat', 'guest', 'guest seat'] as const
const readKeys = ['read key of the owner', 'read key of a contributor', 'read key of a guest', 'player'] as const

describe.each([...others, ...readKeys])('hiding by a %s', (name) => {
  it('[HD-011][HD-022][HD-023][HD-024] is refused before anything of the request is looked at', async () => {
    const party = await newParty(system, own, name)
    const open = (await own.make('event')).id
    const hidden = (await own.make('event')).id
    const mine =
      party.writer === null ? open : expectBody(await party.writer.post('/api/v2/event', { name: 'E' }), 201).id
    expect((await own.put(`/api/v2/event/${hidden}/hidden`)).status).toBe(204)
    const before = await marks(own)
    const replies: ApiReply[] = []
    for (const id of [open, hidden, mine, randomUUID(), 'abc']) {
      for (const body of [undefined, '{"fields": ["name"]}', '{']) {
        replies.push(await party.put(`/api/v2/event/${id}/hidden`, body))
        replies.push(await party.delete(`/api/v2/event/${id}/hidden`, body))
      }
    }
    replies.push(await party.put(`/api/v2/character/${open}/hidden`))
    const told = { status: 403, body: { error: refusal('permission_error') } }
    expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(replies.map(() => told))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await marks(own)).toEqual(before)
  })
})

describe.each([...others, 'read key of a contributor', 'read key of a guest', 'player'] as const)(
  'the list of marks, to a %s',
  (name) => {
    it('[HD-022] is refused', async () => {
      const { id } = await own.make('event')
      expect((await own.put(`/api/v2/event/${id}/hidden`)).status).toBe(204)
      const { status, body } = await (await newParty(system, own, name)).get('/api/v2/world/hidden')
      expect({ status, body }).toEqual({ status: 403, body: { error: refusal('permission_error') } })
    })
  },
)
