import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi, expectError } from './hostile-table'
import { expectBody, newOwner, newReader, type Owner } from './support'

let system: System
let own: Owner

beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
})

const ownerRow = { id: null, kind: 'owner', role: 'owner', character: null, status: 'active' }

describe('the roster', () => {
  it('[MB-001][MB-004][MB-023][MB-024] of a fresh world is the owner alone', async () => {
    expect(expectBody(await own.get('/api/v2/members'), 200)).toEqual({ data: [ownerRow] })
  })

  it('[MB-008] shows the owner_character as the character of the owner', async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id }), 200)
    expect(expectBody(await own.get('/api/v2/members'), 200)).toEqual({ data: [{ ...ownerRow, character: id }] })
    expectBody(await own.patch('/api/v2/world', { owner_character: null }), 200)
    expect(expectBody(await own.get('/api/v2/members'), 200)).toEqual({ data: [ownerRow] })
  })

  it('[MB-011] carries neither the name nor the email address of the owner', async () => {
    const account = accountApi(system.gateway, own.token)
    expectBody(await account.patch('/api/v2/account', { name: 'Wanda Underhill' }), 200)
    const { text } = await own.get('/api/v2/members')
    expect(text).not.toContain(own.account.email)
    expect(text).not.toContain('Wanda')
  })

  it('[MB-021] answers any key without a PIN', async () => {
    const reader = await newReader(system, own)
    const keyed = api(system.gateway, { 'API-Key': own.key })
    for (const by of [reader, keyed]) expect(expectBody(await by.get('/api/v2/members'), 200).data).toEqual([ownerRow])
  })

  it.each(['limit', 'cursor', 'page', 'fields', 'as'])('[MB-022] takes no %s', async (param) => {
    expectError(await own.get(`/api/v2/members?${param}=1`), 'invalid_request', param)
  })

  it('[MB-021] is closed without a key', async () => {
    expectError(await api(system.gateway).get('/api/v2/members'), 'invalid_credentials')
  })
})

describe('who a key is', () => {
  it('[MB-012][MB-013][MB-027][MB-028] is told to a write key without a PIN', async () => {
    const reply = await api(system.gateway, { 'API-Key': own.key }).get('/api/v2/me')
    expect(expectBody(reply, 200)).toEqual({
      world: { id: own.world, name: 'World' },
      scope: 'write',
      kind: 'owner',
      role: 'owner',
      membership: null,
      character: null,
    })
  })

  it('[MB-013][MB-027][MB-028] is told to a read key of the owner', async () => {
    const reader = await newReader(system, own)
    expect(expectBody(await reader.get('/api/v2/me'), 200)).toEqual({
      world: { id: own.world, name: 'World' },
      scope: 'read',
      kind: 'owner',
      role: 'owner',
      membership: null,
      character: null,
    })
  })

  it('says the membership that created_by will hold: none for the owner', async () => {
    const me = expectBody(await own.get('/api/v2/me'), 200)
    expect((await own.make('character')).created_by).toBe(me.membership)
  })

  it('[MB-018] shows the owner_character to the keys of the owner', async () => {
    const { id } = await own.make('character')
    expectBody(await own.patch('/api/v2/world', { owner_character: id, name: 'Named anew' }), 200)
    const reader = await newReader(system, own)
    for (const by of [own, reader]) {
      const me = expectBody(await by.get('/api/v2/me'), 200)
      expect([me.character, me.world]).toEqual([id, { id: own.world, name: 'Named anew' }])
    }
  })

  it('has no name for the owner', async () => {
    expect(Object.keys(expectBody(await own.get('/api/v2/me'), 200))).not.toContain('name')
  })

  it('[MB-028] takes no query parameter', async () => {
    expectError(await own.get('/api/v2/me?limit=1'), 'invalid_request', 'limit')
  })
})
