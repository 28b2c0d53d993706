import type { Api, ApiReply } from '@worlds/testkit/api'
import { api } from '@worlds/testkit/api'
import { addMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi } from './hostile-table'
import { newParty, type Party, refusal } from './permission-parties'
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
const ok = async (reply: Promise<ApiReply>) => expect([200, 201, 204]).toContain((await reply).status)

function expectResync({ status, body }: ApiReply, reason: string): void {
  const error = { ...refusal('resync_required', 'since'), reason }
  expect({ status, body }).toEqual({ status: 409, body: { error, reason } })
}

describe.each(['guest', 'guest seat', 'read key of a guest', 'player'] as const)('the view of a %s', (name) => {
  let guest: Party
  let me: string
  let id: string
  let cursor: string
  beforeEach(async () => {
    guest = await newParty(system, own, name)
    me = guest.character ?? ''
    id = (await own.make('narrative', { characters: [me] })).id
    ;({ cursor } = await feed(guest))
  })
  const narrative = () => `/api/v2/narrative/${id}`

  const losses: readonly [string, () => Promise<unknown>][] = [
    ['PATCH', () => ok(own.patch(narrative(), { characters: [] }))],
    ['PUT', () => ok(own.put(narrative(), { name: 'x' }))],
    ['links', () => ok(own.post(`${narrative()}/links/characters`, { remove: [me] }))],
    ['bulk', () => ok(own.post('/api/v2/bulk', { items: [{ type: 'narrative', element: { id, name: 'x' } }] }))],
  ]

  it.each(losses)('[CF-022][CF-044][CF-048] begins anew when an element leaves it by %s', async (_way, lose) => {
    await lose()
    expectResync(await changes(guest, cursor), 'view')
    const again = await feed(guest)
    expect(told(again)).toEqual([['upsert', me, undefined]])
    expect(again.epoch_reason).toBe('view')
  })

  it('goes on when an element comes to it by a write, which tells it', async () => {
    const other = (await own.make('narrative')).id
    const later = (await own.make('narrative', { characters: [me] })).id
    await ok(own.patch(`/api/v2/narrative/${other}`, { characters: [me] }))
    const page = await feed(guest, cursor)
    expect(told(page)).toEqual([
      ['upsert', later, undefined],
      ['upsert', other, undefined],
    ])
    expect([page.epoch, page.epoch_reason]).toEqual([1, null])
  })

  it('[CF-044] begins anew when something that it reads links to what comes to it', async () => {
    const parent = (await own.make('narrative')).id
    await ok(own.patch(narrative(), { parent_narrative: parent }))
    ;({ cursor } = await feed(guest))
    await ok(own.patch(`/api/v2/narrative/${parent}`, { characters: [me] }))
    expectResync(await changes(guest, cursor), 'view')
    const held = (await feed(guest)).changes.find((record: Body) => record.id === id)
    expect(held.element.parent_narrative).toBe(parent)
  })

  it('[CF-044] begins anew when the roster gains a Character that was there, and when it loses one', async () => {
    const hub = (await own.make('character')).id
    await ok(own.patch('/api/v2/world', { owner_character: hub }))
    expectResync(await changes(guest, cursor), 'view')
    const gained = await feed(guest)
    expect(told(gained)).toContainEqual(['upsert', hub, undefined])
    await ok(own.patch('/api/v2/world', { owner_character: null }))
    expectResync(await changes(guest, gained.cursor), 'view')
    expect(told(await feed(guest))).not.toContainEqual(['upsert', hub, undefined])
  })

  it('goes on when the roster gains a Character that is made with its row', async () => {
    const other = await newParty(system, own, 'contributor seat')
    expect(told(await feed(guest, cursor))).toEqual([['upsert', other.character, undefined]])
  })

  it('[CF-041] is told of the deletions of what it saw, and of no others', async () => {
    const [unseen, hidden] = [(await own.make('narrative')).id, (await own.make('narrative', { characters: [me] })).id]
    await ok(own.put(`/api/v2/narrative/${hidden}/hidden`))
    ;({ cursor } = await feed(guest))
    for (const one of [unseen, hidden, id]) await ok(own.delete(`/api/v2/narrative/${one}`))
    expect(told(await feed(guest, cursor))).toEqual([['delete', id, 'deleted']])
    expect(told(await feed(guest))).toEqual([
      ['upsert', me, undefined],
      ['delete', id, 'deleted'],
    ])
  })

  it('[CF-044] begins anew when its Character is deleted, and what that saw is gone', async () => {
    await ok(own.delete(`/api/v2/character/${me}`))
    expectResync(await changes(guest, cursor), 'view')
    expect(told(await feed(guest)).filter(([op]) => op === 'upsert')).toEqual([])
  })
})

describe.each(['guest seat', 'player'] as const)('the Character of a %s', (name) => {
  it('[CF-044][CF-048] begins the view anew when another takes its place, or none', async () => {
    const guest = await newParty(system, own, name)
    const other = (await own.make('character')).id
    const addressed = (await own.make('narrative', { characters: [other] })).id
    const account = accountApi(system.gateway, own.token)
    const path = `/api/v2/account/worlds/${own.world}/members/${guest.membership}`
    let { cursor } = await feed(guest)
    for (const [character, seen] of [
      [other, [guest.character, other, addressed]],
      [null, [guest.character]],
    ] as const) {
      expectBody(await account.patch(path, { character }), 200)
      expectResync(await changes(guest, cursor), 'view')
      const again = await feed(guest)
      // What it played first it has created, by coming.
      expect(told(again).map(([, id]) => id)).toEqual(seen)
      cursor = again.cursor
    }
  })
})

describe('a change of role', () => {
  const kinds = [
    ['contributor', 'guest'],
    ['guest', 'contributor'],
    ['contributor', 'co_builder'],
    ['guest', 'co_builder'],
    ['co_builder', 'contributor'],
    ['co_builder', 'guest'],
  ] as const

  it.each(kinds)('[CF-042][CF-043][CF-044][CF-045][CF-047] begins the view anew: %s to %s', async (from, to) => {
    const { headers, membership } = await addMember(system, own, from)
    const key = api(system.gateway, headers)
    await own.make('event')
    const { cursor } = await feed(key)
    await setRole(system, own, membership, to)
    expectResync(await changes(key, cursor), 'role')
    const again = await feed(key)
    expect(again.epoch_reason).toBe(to === 'co_builder' ? null : 'role')
    expect(again.epoch === null).toBe(to === 'co_builder')
    expect(await feed(key, again.cursor)).toMatchObject({ changes: [], cursor: again.cursor })
  })

  it('moves nothing when the role is what it was', async () => {
    const { headers, membership } = await addMember(system, own, 'contributor')
    const before = await feed(api(system.gateway, headers))
    await setRole(system, own, membership, 'contributor')
    expect(await feed(api(system.gateway, headers), before.cursor)).toMatchObject({
      epoch: before.epoch,
      epoch_reason: null,
    })
  })

  it('[CF-038][CF-049] is told before a change of the view, in whatever order they came', async () => {
    const { headers, membership } = await addMember(system, own, 'contributor')
    const key = api(system.gateway, headers)
    const { id } = await own.make('event')
    const unhide = async () => {
      await ok(own.put(`/api/v2/event/${id}/hidden`))
      await ok(own.delete(`/api/v2/event/${id}/hidden`))
    }
    const cursors: string[] = []
    const seen: unknown[] = []
    const note = async () => {
      const page = await feed(key)
      cursors.push(page.cursor)
      seen.push([page.epoch, page.epoch_reason])
    }
    await note()
    await setRole(system, own, membership, 'guest')
    await note()
    await setRole(system, own, membership, 'contributor')
    await note()
    await unhide()
    await note()
    await unhide()
    expect(seen).toEqual([
      [1, null],
      [2, 'role'],
      [3, 'role'],
      [4, 'view'],
    ])
    const reasons = []
    for (const cursor of cursors) reasons.push((await changes(key, cursor)).body.reason)
    expect(reasons).toEqual(['role', 'role', 'view', 'view'])
    expect((await feed(key)).epoch_reason).toBe('view')
    await setRole(system, own, membership, 'guest')
    for (const cursor of cursors) expectResync(await changes(key, cursor), 'role')
  })

  it('[CF-050] lets no hide be told that was made before it', async () => {
    const { headers, membership } = await addMember(system, own, 'contributor')
    const key = api(system.gateway, headers)
    const { id } = await own.make('event')
    await ok(own.put(`/api/v2/event/${id}/hidden`))
    expect(told(await feed(key))).toEqual([['delete', id, 'hidden']])
    await setRole(system, own, membership, 'guest')
    await setRole(system, own, membership, 'contributor')
    expect(told(await feed(key))).toEqual([])
  })
})
