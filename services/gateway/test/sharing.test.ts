import { randomUUID } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, mintReadKey, removeMember, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { actAs, expectDone, expectRefused, invite, newShared, type Shared } from './members-support'
import { expectBody } from './support'

const path = '/api/v2/world/sharing'
let system: System
let shared: Shared

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  shared = await newShared(system)
})

describe('how a world is shared', () => {
  it('[AC-050] is not at all at first', async () => {
    expect(expectBody(await shared.get(path), 200)).toEqual({
      public_read: false,
      members: { active: 0, pending_invites: 0 },
      read_keys: 0,
      open_links: 0,
    })
  })

  it('[AC-050] is counted for the owner', async () => {
    const member = await addMember(system, shared, 'contributor')
    const gone = await addMember(system, shared, 'guest')
    await addPlayer(system, shared)
    await mintReadKey(system, shared.world, gone.token)
    await removeMember(system, shared, gone.membership)
    await mintReadKey(system, shared.world, member.token)
    const reader = await mintReadKey(system, shared.world, shared.token)
    await invite(shared, `${randomUUID()}@example.org`, 'guest')
    for (let n = 0; n < 2; n += 1)
      expectBody(await shared.bearer.post(`${shared.path}/links`, { reader: 'agent' }), 201)
    const { id } = expectBody(await shared.bearer.post(`${shared.path}/links`, { reader: 'player' }), 201)
    expectDone(await shared.bearer.delete(`${shared.path}/links/${id}`))
    expectBody(await shared.bearer.patch(shared.path, { public_read: true }), 200)
    const counts = {
      public_read: true,
      members: { active: 2, pending_invites: 1 },
      read_keys: 3,
      open_links: 2,
    }
    expect(expectBody(await shared.get(path), 200)).toEqual(counts)
    expect(expectBody(await api(system.gateway, { 'API-Key': reader }).get(path), 200)).toEqual(counts)
  })

  it('[AC-050] shows members no counts of what the owner has handed out', async () => {
    const members = [await addMember(system, shared, 'co_builder'), await addSeat(system, shared)]
    for (const member of members) {
      expect(expectBody(await actAs(system, member).get(path), 200)).toEqual({
        public_read: false,
        members: { active: 2, pending_invites: null },
        read_keys: null,
        open_links: null,
      })
    }
  })

  it('[AC-050] is nothing for guests, from the moment they are', async () => {
    const guest = await addMember(system, shared, 'guest')
    const player = await addPlayer(system, shared)
    for (const headers of [guest.headers, player.headers]) {
      expectRefused(await api(system.gateway, headers).get(`${path}?x=1`), 'guest_not_supported')
    }
    const member = await addMember(system, shared, 'contributor')
    const by = actAs(system, member)
    expectBody(await by.get(path), 200)
    await setRole(system, shared, member.membership, 'guest')
    expectRefused(await by.get(path), 'guest_not_supported')
  })

  it('[AC-050] takes a key and no query', async () => {
    expectRefused(await api(system.gateway).get(path), 'invalid_credentials')
    expectRefused(await shared.get(`${path}?x=1`), 'invalid_request', 'x')
    expectRefused(await shared.get(`${path}?as=public`), 'invalid_request', 'as')
    expectBody(await shared.get(`${path}/`), 200)
  })
})
