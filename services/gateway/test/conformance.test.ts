import { type ErrorCode, statusOf } from '@worlds/domain/errors'
import { type Api, api } from '@worlds/testkit/api'
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { current, type Door, doors, type Outcome } from './doors'
import { holdSlots, readLock } from './held-slots'
import { headOf } from './hostile-table'
import { importLegacyKey } from './legacy-keys'
import { type Body, newOwner, type Owner } from './support'

/** A rule is one whichever door a request comes by: what is stored, and what is refused, is the same. */
let system: System
let own: Owner
let contributor: Api
let guest: Api
/** Ids that acts name, by what they are. */
let known: { friend: string; place: string; hidden: string; foreign: string }

beforeAll(async () => {
  const env = { REQUEST_SLOTS: '4', REQUEST_SLOT_WAIT_MS: '300', REQUEST_BUDGET: '1000000' }
  system = await startSystem({ env: { gateway: env } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  contributor = api(system.gateway, { ...(await addMember(system, own, 'contributor')).headers })
  guest = api(system.gateway, { ...(await addMember(system, own, 'guest')).headers })
  const other = await newOwner(system)
  known = {
    friend: (await own.make('character', { name: 'Friend' })).id,
    place: (await own.make('location', { name: 'Place' })).id,
    hidden: (await own.make('character', { name: 'Hidden' })).id,
    foreign: (await other.make('character', { name: 'Foreign' })).id,
  }
  expect((await own.put(`/api/v2/character/${known.hidden}/hidden`)).status).toBe(204)
})

const sample = (): Body => ({
  ...{ name: 'Sample', description: 'Ærlig "quoted"', supertype: 'Human', level: '7', height: 180.9, background: null },
  ...{ friends: [known.friend, known.friend.toUpperCase()], location: known.place, birthplace: null },
})

/** An element as it is stored, whatever made it. */
async function stored(id: string | null): Promise<Body> {
  const { change_seq, created_at, updated_at, id: _id, ...rest } = await own.read('character', String(id))
  return rest
}

function expectRefused(door: Door, { status, code }: Outcome, expected: ErrorCode): void {
  expect({ door: door.name, status, code }).toEqual({
    door: door.name,
    status: statusOf(expected),
    code: door.tellsCodes ? expected : null,
  })
}

/** Each door's outcomes, one after the other. */
async function everywhere(act: (door: Door) => Promise<void>): Promise<void> {
  for (const door of doors) await act(door)
}

describe('by every door', () => {
  it('[VR-001] the same is stored by a creation', async () => {
    const results: Body[] = []
    await everywhere(async (door) => {
      const { status, id } = await door.create(own, 'character', sample())
      expect([door.name, status]).toEqual([door.name, 201])
      results.push(await stored(id))
    })
    for (const result of results) expect(result).toEqual(results[0])
    expect(results[0]).toMatchObject({ level: 7, height: 180, friends: [known.friend], location: known.place })
  })

  it('the same is stored by a replacement and by a change in part', async () => {
    for (const act of ['replace', 'patch'] as const) {
      const results: Body[] = []
      await everywhere(async (door) => {
        const { id } = await current.create(own, 'character', sample())
        const { status } =
          (await door[act]?.(own, 'character', String(id), { name: 'New', level: null, friends: [] })) ?? {}
        if (status === undefined) return
        expect([door.name, status]).toEqual([door.name, 200])
        results.push(await stored(id))
      })
      expect(results.length).toBeGreaterThan(2)
      for (const result of results) expect(result).toEqual(results[0])
    }
  })

  it('the same is read, listed and deleted', async () => {
    const { data } = (await own.get('/api/v2/character')).body
    await everywhere(async (door) => {
      expect((await door.read?.(own, 'character', known.friend)) ?? { id: known.friend }).toMatchObject({
        id: known.friend,
      })
      const listed = await door.list?.(own, 'character')
      if (listed !== undefined) expect(listed.ids).toEqual(data.map(({ id }: Body) => id))
      if (door.delete === undefined) return
      const { id } = await door.create(own, 'law', { name: 'Short' })
      for (let times = 0; times < 2; times += 1) {
        expect(await door.delete(own, 'law', String(id))).toMatchObject({ status: 204 })
      }
    })
  })

  it.each<[string, ErrorCode, (door: Door) => Promise<Outcome>]>([
    ['an unknown field', 'invalid_request', (door) => door.create(own, 'character', { name: 'A', nonsense: 1 })],
    ['a server’s field', 'invalid_request', (door) => door.create(own, 'character', { name: 'A', change_seq: 1 })],
    ['no name', 'invalid_request', (door) => door.create(own, 'character', { level: 1 })],
    ['a bad value', 'invalid_request', (door) => door.create(own, 'character', { name: 'A', level: 'x' })],
    ['too long a name', 'invalid_request', (door) => door.create(own, 'character', { name: 'x'.repeat(256) })],
    ['a malformed link', 'invalid_request', (door) => door.create(own, 'character', { name: 'A', location: 'x' })],
    [
      'a link to nothing',
      'invalid_link',
      (door) => door.create(own, 'character', { name: 'A', location: known.foreign }),
    ],
    [
      'a link to another category',
      'invalid_link',
      (door) => door.create(own, 'character', { name: 'A', location: known.friend }),
    ],
    [
      'a link to what is hidden from it',
      'invalid_link',
      (door) => door.create(contributor, 'character', { name: 'A', friends: [known.hidden] }),
    ],
    [
      'too large a body',
      'payload_too_large',
      (door) => door.raw(own, 'character', `{"name":"${'x'.repeat(2_621_440)}"}`),
    ],
    ['a read key', 'permission_error', async (door) => door.create(await reader(), 'character', { name: 'A' })],
    ['no key', 'invalid_credentials', (door) => door.create(api(system.gateway), 'character', { name: 'A' })],
    ['no PIN', 'invalid_credentials', (door) => door.create(withPin(''), 'character', { name: 'A' })],
    ['a wrong PIN', 'invalid_credentials', (door) => door.create(withPin('9876'), 'character', { name: 'A' })],
  ])('the same is refused: %s', async (_what, code, act) => {
    const head = await own.head()
    await everywhere(async (door) => expectRefused(door, await act(door), code))
    expect(await own.head()).toBe(head)
  })

  it.each<[string, ErrorCode, (door: Door, act: 'read' | 'patch' | 'replace') => Promise<Outcome> | undefined]>([
    ['of another world', 'not_found', (door, act) => on(door, act, own, known.foreign)],
    ['hidden from it', 'not_found', (door, act) => on(door, act, contributor, known.hidden)],
    ['out of its view', 'not_found', (door, act) => on(door, act, guest, known.friend)],
    [
      'of another’s making',
      'not_author',
      (door, act) => (act === 'read' ? undefined : on(door, act, contributor, known.friend)),
    ],
  ])('the same is refused on an element %s', async (what, code, act) => {
    await everywhere(async (door) => {
      for (const how of ['read', 'patch', 'replace'] as const) {
        // An id of another world can be put to: there it is taken, but to who may only replace it is not there.
        if (what === 'of another world' && how === 'replace' && door.name !== 'the classic dialect') continue
        const result = await act(door, how)
        if (result !== undefined) expectRefused(door, result, code)
      }
    })
    expect((await own.read('character', known.friend)).name).toBe('Friend')
  })

  it('the same key is locked out after the same wrong PINs', async () => {
    for (const door of doors) {
      const world = await newOwner(system)
      const wrong = api(system.gateway, { 'API-Key': world.key, 'API-Pin': '9876' })
      for (let times = 0; times < 5; times += 1)
        expectRefused(door, await door.create(wrong, 'law', { name: 'A' }), 'invalid_credentials')
      for (const each of doors) expectRefused(each, await each.create(wrong, 'law', { name: 'A' }), 'rate_limited')
    }
  })

  it('the same is refused while every slot is taken', async () => {
    const metrics = api(system.processes.metrics('gateway'))
    const slotsInUse = async () => {
      const { text } = await metrics.get('/metrics')
      return Number(/^request_slots_in_use(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1])
    }
    const requests = Array.from({ length: 4 }, () => headOf(own, 'GET /api/v2/event'))
    const held = await holdSlots(system, readLock, requests, slotsInUse)
    await everywhere(async (door) => expectRefused(door, await door.create(own, 'law', { name: 'A' }), 'server_busy'))
    await held.end()
  })

  const withPin = (pin: string) =>
    api(system.gateway, { 'API-Key': own.key, ...(pin === '' ? {} : { 'API-Pin': pin }) })

  async function reader(): Promise<Api> {
    const account = api(system.gateway, { Authorization: `Bearer ${own.token}` })
    const { body } = await account.post(`/api/v2/account/worlds/${own.world}/keys`, { scope: 'read' })
    return api(system.gateway, { 'API-Key': body.key, 'API-Pin': own.pin })
  }

  function on(door: Door, act: 'read' | 'patch' | 'replace', by: Api, id: string): Promise<Outcome> | undefined {
    return act === 'read' ? door.read?.(by, 'character', id) : door[act]?.(by, 'character', id, { name: 'Mine' })
  }
})

describe('a key of ten digits', () => {
  it('[CL-022] opens every door', async () => {
    const legacy = api(system.gateway, { 'API-Key': await importLegacyKey(system, own.world), 'API-Pin': own.pin })
    await everywhere(async (door) => {
      expect(await door.create(legacy, 'law', { name: 'A' })).toMatchObject({ status: 201 })
    })
  })
})
