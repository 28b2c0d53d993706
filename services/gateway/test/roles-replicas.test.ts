import { type Api, api } from '@worlds/testkit/api'
import { addMember, type Member, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi } from './hostile-table'
import { outcomeOf } from './permission-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

/** What one process was told of roles and marks holds at once for every other, whatever that has kept of its readers. */
let system: System
let own: Owner
let member: Member
/** The member's requests by the first process and by the second. */
let keys: readonly [Api, Api]

beforeAll(async () => {
  system = await startSystem({ elements: 2, gateways: 2, pinGateways: true })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  member = await addMember(system, own, 'contributor')
  const [first = '', second = ''] = system.gateways
  keys = [api(first, member.headers), api(second, member.headers)]
})

const listed = async (by: Api): Promise<string[]> =>
  expectBody(await by.get('/api/v2/event'), 200).data.map(({ id }: Body) => id)
const roleOf = async (by: Api): Promise<string> => expectBody(await by.get('/api/v2/me'), 200).role

it('[RL-001] a change of role holds by every process, for reads, writes and the feed', async () => {
  const { id } = await own.make('event')
  const patched = { guest: '404 not_found', contributor: '403 not_author', co_builder: '200' }
  for (const role of ['guest', 'co_builder', 'contributor', 'guest', 'contributor', 'co_builder', 'guest'] as const) {
    await setRole(system, own, member.membership, role)
    for (const by of keys) {
      expect(await listed(by)).toEqual(role === 'guest' ? [] : [id])
      expect(outcomeOf(await by.patch(`/api/v2/event/${id}`, { name: 'x' }))).toBe(patched[role])
      expect(outcomeOf(await by.put(`/api/v2/event/${id}/hidden`))).toBe(
        role === 'co_builder' ? '204' : '403 permission_error',
      )
      if (role === 'co_builder') expect((await by.delete(`/api/v2/event/${id}/hidden`)).status).toBe(204)
      const { epoch, changes } = expectBody(await by.get('/api/v2/changes'), 200)
      expect([epoch === null, changes.length]).toEqual([role === 'co_builder', role === 'guest' ? 0 : 1])
      expect(await roleOf(by)).toBe(role)
    }
  }
})

it('[HD-035][HD-036][HD-042] a hide and its end hold by every process', async () => {
  const { id } = await own.make('event')
  const mine = expectBody(await keys[0].post('/api/v2/narrative', { name: 'Mine', events: [id] }), 201).id
  const events = async (by: Api) => expectBody(await by.get(`/api/v2/narrative/${mine}`), 200).events
  for (let round = 0; round < 6; round += 1) {
    const hidden = round % 2 === 0
    const hider = api(system.gateways[round % 3 === 0 ? 0 : 1] ?? '', { ...own.headers })
    const path = `/api/v2/event/${id}/hidden`
    expect((await (hidden ? hider.put(path) : hider.delete(path))).status).toBe(204)
    for (const by of keys) {
      expect(await listed(by)).toEqual(hidden ? [] : [id])
      expect((await by.get(`/api/v2/event/${id}`)).status).toBe(hidden ? 404 : 200)
      expect(await events(by)).toEqual(hidden ? [] : [id])
      const link = await by.post(`/api/v2/narrative/${mine}/links/events`, { add: [id] })
      expect(outcomeOf(link)).toBe(hidden ? '400 invalid_link' : '200')
      expect(expectBody(await by.patch(`/api/v2/narrative/${mine}`, {}), 200).events).toEqual(hidden ? [] : [id])
    }
  }
  expect((await own.read('narrative', mine)).events).toEqual([id])
})

it('[RL-012] a Character that comes to the roster or leaves it is seen so by every process', async () => {
  await setRole(system, own, member.membership, 'guest')
  const { id } = await own.make('character')
  for (const character of [id, null, id, null]) {
    expectBody(await own.patch('/api/v2/world', { owner_character: character }), 200)
    for (const by of keys) {
      expect((await by.get(`/api/v2/character/${id}`)).status).toBe(character === null ? 404 : 200)
      const link = await by.post('/api/v2/narrative', { name: 'N', characters: [id] })
      expect(outcomeOf(link)).toBe(character === null ? '400 invalid_link' : '201')
      expect(expectBody(await by.get('/api/v2/members'), 200).data[0].character).toBe(character)
    }
  }
})

it('a membership that ends is over by every process, in the midst of its requests', async () => {
  const { id } = await own.make('event')
  const account = accountApi(system.gateway, own.token)
  let over = false
  const asked = keys.map(async (by) => {
    const late: number[] = []
    for (let more = 0; more < 3; more += over ? 1 : 0) {
      const begunLate = over
      const { status } = await by.get(`/api/v2/event/${id}`)
      if (begunLate) late.push(status)
      else expect([200, 401]).toContain(status)
    }
    return late
  })
  const path = `/api/v2/account/worlds/${own.world}/members/${member.membership}`
  expect((await account.delete(path)).status).toBe(204)
  over = true
  for (const late of await Promise.all(asked)) expect(new Set(late)).toEqual(new Set([401]))
})
