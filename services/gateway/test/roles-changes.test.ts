import { membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat, type Member, removeMember, type Seat, setRole } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi } from './hostile-table'
import { expectRefused, newParty, partyNames } from './permission-parties'
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

const idsOf = async (by: Api, type: string): Promise<string[]> =>
  expectBody(await by.get(`/api/v2/${type}`), 200).data.map(({ id }: Body) => id)
const meOf = async (by: Api): Promise<Body> => expectBody(await by.get('/api/v2/me'), 200)

describe.each(['person', 'seat'])('a change of role of a %s', (kind) => {
  let member: Member | Seat
  let key: Api
  let open: string
  let hidden: string
  beforeEach(async () => {
    member = kind === 'seat' ? await addSeat(system, own) : await addMember(system, own, 'contributor')
    key = api(system.gateway, member.headers)
    open = (await own.make('event')).id
    hidden = (await own.make('event')).id
    expect((await own.put(`/api/v2/event/${hidden}/hidden`)).status).toBe(204)
  })

  it('[RL-001] holds from its next request, by the same key', async () => {
    const mine = expectBody(await key.post('/api/v2/event', { name: 'Mine' }), 201).id
    expect(await idsOf(key, 'event')).toEqual([open, mine])
    await setRole(system, own, member.membership, 'guest')
    expect([await idsOf(key, 'event'), (await meOf(key)).role]).toEqual([[mine], 'guest'])
    expectRefused(await key.patch(`/api/v2/event/${open}`, { name: 'x' }), 404, 'not_found')
    await setRole(system, own, member.membership, 'co_builder')
    expect([await idsOf(key, 'event'), (await meOf(key)).role]).toEqual([[open, hidden, mine], 'co_builder'])
    expectBody(await key.patch(`/api/v2/event/${hidden}`, { name: 'x' }), 200)
    expect((await key.delete(`/api/v2/event/${hidden}/hidden`)).status).toBe(204)
    await setRole(system, own, member.membership, 'contributor')
    expectRefused(await key.patch(`/api/v2/event/${open}`, { name: 'x' }), 403, 'not_author')
    expectRefused(await key.put(`/api/v2/event/${open}/hidden`), 403, 'permission_error')
    const row = expectBody(await own.get('/api/v2/members'), 200).data.find(({ id }: Body) => id === member.membership)
    expect([row.role, row.status]).toEqual(['contributor', 'active'])
  })

  it('ends with its membership: its key is unknown from the next request', async () => {
    const mine = expectBody(await key.post('/api/v2/event', { name: 'Mine' }), 201).id
    await removeMember(system, own, member.membership)
    for (const path of ['/api/v2/me', '/api/v2/event', '/api/v2/changes', `/api/v2/event/${mine}`])
      expectRefused(await key.get(path), 401, 'invalid_credentials')
    expectRefused(await key.patch(`/api/v2/event/${mine}`, { name: 'x' }), 401, 'invalid_credentials')
    expect((await own.read('event', mine)).created_by).toBe(member.membership)
  })
})

describe('who a key of the owner is', () => {
  it('[RL-031] the owner, without a membership, whoever else is there', async () => {
    await addMember(system, own, 'co_builder')
    const account = accountApi(system.gateway, own.token)
    for (const scope of ['read', 'write']) {
      const { key } = expectBody(await account.post(`/api/v2/account/worlds/${own.world}/keys`, { scope }), 201)
      const me = await meOf(api(system.gateway, { 'API-Key': key }))
      expect(me).toMatchObject({ scope, kind: 'owner', role: 'owner', membership: null })
    }
  })

  it('[RL-032] so for a legacy key, which shows what is hidden', async () => {
    const peer = new RpcPeer([system.membershipAddress], system.serviceToken)
    const client = new RpcClient(membershipV1.Operator, peer)
    const request = { world_id: own.world, key: '7700000001', read_only: false }
    const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
    await client.unary('ImportLegacyKey', request, settings).finally(() => peer.close())
    const legacy = api(system.gateway, { 'API-Key': '7700000001', 'API-Pin': own.pin })
    expect(await meOf(legacy)).toEqual(await meOf(own))
    const { id } = await own.make('event')
    expect((await legacy.put(`/api/v2/event/${id}/hidden`)).status).toBe(204)
    expect(await idsOf(legacy, 'event')).toEqual([id])
    expect(expectBody(await legacy.post('/api/v2/event', { name: 'E' }), 201).created_by).toBeNull()
  })
})

describe.each(partyNames)('routes that refuse guests, to a %s', (name) => {
  it('[RL-022][RL-023] are open to everybody else', async () => {
    const party = await newParty(system, own, name)
    const replies = [await party.get('/api/v2/world/sharing'), await party.get('/api/v2/tokens/status')]
    for (const reply of replies) {
      if (party.role === 'guest') expectRefused(reply, 403, 'guest_not_supported')
      else expect(reply.status).toBe(200)
    }
  })
})
