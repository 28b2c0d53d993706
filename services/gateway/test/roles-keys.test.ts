import { type Api, api } from '@worlds/testkit/api'
import { addMember, invited, mintReadKey, removeMember, setRole } from '@worlds/testkit/members'
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

const post = (by: Api, name = 'E') => by.post('/api/v2/event', { name })

describe.each(['co_builder', 'contributor', 'guest', 'contributor seat'] as const)('the PIN of a %s', (name) => {
  it('[AU-009][AU-016][AU-017] is its own, and the owner’s is none to it', async () => {
    const party = await newParty(system, own, name)
    const before = await own.head()
    for (const pin of ['', own.pin, '9999']) {
      const wrong = api(system.gateway, { ...party.headers, 'API-Pin': pin })
      expectRefused(await post(wrong), 401, 'invalid_credentials')
    }
    expect(await own.head()).toBe(before)
    expect(expectBody(await post(party), 201).created_by).toBe(party.membership)
    // The member's is none to the owner's key either.
    const mixed = api(system.gateway, { 'API-Key': own.key, 'API-Pin': party.headers['API-Pin'] ?? '' })
    expectRefused(await post(mixed), 401, 'invalid_credentials')
  })
})

describe('an Idempotency-Key', () => {
  it('is each principal’s own: none is answered with what another made', async () => {
    const writers = await Promise.all(
      partyNames.filter((name) => !/read key|player/.test(name)).map((name) => newParty(system, own, name)),
    )
    const key = { 'Idempotency-Key': 'the same' }
    const made = new Map<string, Body>()
    for (const { membership, post: send } of writers) {
      const reply = await send('/api/v2/event', { name: 'E' }, key)
      expect([reply.status, reply.headers.get('idempotent-replay')]).toEqual([201, null])
      expect(reply.body.created_by).toBe(membership)
      made.set(reply.body.id, reply.body)
    }
    expect(made.size).toBe(writers.length)
    for (const { membership, post: send } of writers) {
      const reply = await send('/api/v2/event', { name: 'E' }, key)
      expect([reply.status, reply.headers.get('idempotent-replay')]).toEqual([201, 'true'])
      expect([reply.body.created_by, made.get(reply.body.id)]).toEqual([membership, reply.body])
    }
  })
})

describe('who comes again', () => {
  it('has a new membership, and is no author of what the old one made', async () => {
    const first = await addMember(system, own, 'contributor')
    const old = api(system.gateway, first.headers)
    const [open, hidden] = [expectBody(await post(old), 201).id, expectBody(await post(old), 201).id]
    expect((await own.put(`/api/v2/event/${hidden}/hidden`)).status).toBe(204)
    await removeMember(system, own, first.membership)
    const invite = await invited(system, own, first.account.email, 'contributor')
    const account = accountApi(system.gateway, first.token)
    const { id } = expectBody(await account.post(`/api/v2/account/invites/${invite}/accept`), 201)
    expect(id).not.toBe(first.membership)
    const { key } = expectBody(await account.post(`/api/v2/account/worlds/${own.world}/keys`), 201)
    const again = api(system.gateway, { 'API-Key': key, 'API-Pin': first.pin })
    expectRefused(await again.patch(`/api/v2/event/${open}`, { name: 'x' }), 403, 'not_author')
    expectRefused(await again.get(`/api/v2/event/${hidden}`), 404, 'not_found')
    expectRefused(await post(old), 401, 'invalid_credentials')
    const rows = expectBody(await own.get('/api/v2/members'), 200).data
    expect(rows.slice(1).map((row: Body) => [row.id, row.status])).toEqual([
      [id, 'active'],
      [first.membership, 'removed'],
    ])
  })

  it('leaves its read keys as dead as its write keys', async () => {
    const { token, membership } = await addMember(system, own, 'guest')
    const reader = api(system.gateway, { 'API-Key': await mintReadKey(system, own.world, token) })
    expectBody(await reader.get('/api/v2/event'), 200)
    await removeMember(system, own, membership)
    for (const path of ['event', 'changes', 'me', 'members', 'world'])
      expectRefused(await reader.get(`/api/v2/${path}`), 401, 'invalid_credentials')
  })
})

describe('the Character of a member who is made a guest', () => {
  it.each([
    ['that the owner made is lost', true],
    ['that it made itself stays', false],
  ])('[RL-001] %s', async (_what, isOwners) => {
    const made = (await own.make('character')).id
    const member = isOwners
      ? await addMember(system, own, 'contributor', { rosterCharacter: made })
      : await newParty(system, own, 'contributor seat')
    const key = api(system.gateway, { ...member.headers })
    const { id } = await own.make('narrative', { characters: [member.character] })
    await setRole(system, own, member.membership ?? '', 'guest')
    const kept = isOwners ? null : member.character
    expect(expectBody(await key.get('/api/v2/me'), 200)).toMatchObject({ role: 'guest', character: kept })
    const listed = expectBody(await key.get('/api/v2/narrative'), 200).data.map((one: Body) => one.id)
    expect(listed).toEqual(isOwners ? [] : [id])
  })
})
