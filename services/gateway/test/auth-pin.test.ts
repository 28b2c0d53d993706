import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createWorld } from '@worlds/testkit/world'
import { accountApi, expectError, headOf, Raw } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let keyed: Api

beforeAll(async () => {
  system = await startSystem({ gateways: 2 })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  keyed = api(system.gateway, { 'API-Key': own.key })
})

const create = (pin?: string, by = keyed) =>
  by.post('/api/v2/character', { name: 'Ann' }, pin === undefined ? {} : { 'API-Pin': pin })
const aboutPin = expect.stringMatching(/\bPIN\b/)

/** Guesses wrongly until the PIN is locked. */
async function lock(by = keyed): Promise<void> {
  for (let turn = 1; turn <= 5; turn += 1) expectError(await create('4321', by), 'invalid_credentials', null, aboutPin)
}

describe('a write', () => {
  const id = randomUUID()
  it.each<[string, (by: Api) => Promise<Body>, number]>([
    ['POST', (by) => by.post('/api/v2/character', { name: 'x' }), 201],
    ['PUT', (by) => by.put(`/api/v2/character/${id}`, { name: 'x' }), 201],
    ['PATCH', (by) => by.patch(`/api/v2/character/${id}`, { name: 'y' }), 404],
    ['DELETE', (by) => by.delete(`/api/v2/character/${randomUUID()}`), 204],
    ['a link operation', (by) => by.post(`/api/v2/character/${id}/links/friends`, {}), 404],
    ['bulk', (by) => by.post('/api/v2/bulk', { items: [] }), 200],
    ['PATCH of the world', (by) => by.patch('/api/v2/world', { name: 'x' }), 200],
  ])('[AU-003][AU-028][AU-029] by %s takes the PIN', async (_name, send, status) => {
    const before = [await own.head(), (await own.get('/api/v2/world')).body]
    expectError(await send(keyed), 'invalid_credentials', null, aboutPin)
    expectError(await send(api(system.gateway, { 'API-Key': own.key, 'API-Pin': '' })), 'invalid_credentials')
    const wrong = api(system.gateway, { 'API-Key': own.key, 'API-Pin': '4321' })
    expectError(await send(wrong), 'invalid_credentials', null, aboutPin)
    expect([await own.head(), (await own.get('/api/v2/world')).body]).toEqual(before)
    expect((await send(own)).status).toBe(status)
  })

  it('[AU-028] asks for the PIN before it looks at the request', async () => {
    expectError(await keyed.patch('/api/v2/character/nope?x=1', '{'), 'invalid_credentials', null, aboutPin)
    expectError(await keyed.post('/api/v2/bulk', ' '.repeat(2_621_441)), 'invalid_credentials', null, aboutPin)
  })

  it('[AU-022] is 401 where the same key and wrong PIN read with 200', async () => {
    const wrong = api(system.gateway, { 'API-Key': own.key, 'API-Pin': '4321' })
    expect((await wrong.get('/api/v2/world')).status).toBe(200)
    expectError(await create('4321'), 'invalid_credentials', null, aboutPin)
    expect((await wrong.get('/api/v2/character')).body.data).toEqual([])
  })

  it('[AU-015] of any world of an account takes its one PIN', async () => {
    const { key } = await createWorld(system, own.token)
    const second = api(system.gateway, { 'API-Key': key })
    expect((await create(own.pin)).status).toBe(201)
    expect((await create(own.pin, second)).status).toBe(201)
    expectError(await create('4321', second), 'invalid_credentials', null, aboutPin)
  })

  it('[AU-029] takes no PIN of another account', async () => {
    const other = await newOwner(system)
    const account = accountApi(system.gateway, other.token)
    expectBody(await account.patch('/api/v2/account', { pin: '5678', current_pin: '1234' }), 200)
    expectError(await create('5678'), 'invalid_credentials', null, aboutPin)
  })
})

describe('a read by a prefixed key', () => {
  it('[AU-018] needs no PIN and does not look at one', async () => {
    const minted = await accountApi(system.gateway, own.token).post(`/api/v2/account/worlds/${own.world}/keys`, {
      scope: 'read',
    })
    const pins: Record<string, string>[] = [{}, ...['', '4321', 'abcd'].map((pin) => ({ 'API-Pin': pin }))]
    for (const key of [own.key, minted.body.key]) {
      for (const headers of pins) {
        for (const path of ['world', 'character', 'changes', 'me', 'members']) {
          const reply = await api(system.gateway, { 'API-Key': key, ...headers }).get(`/api/v2/${path}`)
          expect(reply.status).toBe(200)
        }
      }
    }
  })

  it('[AU-018] counts no wrong PIN', async () => {
    for (let turn = 0; turn < 10; turn += 1) await keyed.get('/api/v2/world', { 'API-Pin': '4321' })
    expect((await create(own.pin)).status).toBe(201)
  })
})

describe('repeated wrong PINs', () => {
  it('[AU-023][AU-024][ER-027] are 429 from the sixth on, with the seconds to wait', async () => {
    await lock()
    for (const pin of ['4321', '1234', '9999']) {
      const reply = await create(pin)
      expectError(reply, 'rate_limited')
      expect(reply.headers.get('retry-after')).toMatch(/^(29|30)$/)
    }
    expect((await own.get('/api/v2/character')).body.data).toEqual([])
  })

  it('[AU-023] lock reads by no prefixed key', async () => {
    await lock()
    expectError(await own.post('/api/v2/character', { name: 'x' }), 'rate_limited')
    for (const path of ['world', 'character', 'changes', 'me', 'members']) {
      expect((await own.get(`/api/v2/${path}`)).status).toBe(200)
    }
  })

  it('[AU-023] count together over the keys and worlds of an account and over gateways', async () => {
    const { key } = await createWorld(system, own.token)
    const account = accountApi(system.gateway, own.token)
    const minted = await account.post(`/api/v2/account/worlds/${own.world}/keys`, { scope: 'write' })
    const doors = [own.key, key, minted.body.key].flatMap((known) =>
      system.gateways.map((gateway) => api(gateway, { 'API-Key': known })),
    )
    for (const door of doors.slice(0, 5)) expectError(await create('4321', door), 'invalid_credentials', null, aboutPin)
    for (const door of doors) expectError(await create(own.pin, door), 'rate_limited')
  })

  it('[AU-023] lock no other account', async () => {
    const other = await newOwner(system)
    await lock()
    expect((await other.post('/api/v2/character', { name: 'x' })).status).toBe(201)
  })

  it('[AU-023] are forgotten after a right one', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let turn = 1; turn <= 4; turn += 1) expectError(await create('4321'), 'invalid_credentials', null, aboutPin)
      expect((await create(own.pin)).status).toBe(201)
    }
  })

  it('[AU-028] do not include missing ones', async () => {
    for (let turn = 0; turn < 8; turn += 1) expectError(await create(turn % 2 ? '' : undefined), 'invalid_credentials')
    expect((await create(own.pin)).status).toBe(201)
  })

  it.each(['0999', '12345', 'abcd', '1234 5', 'x'.repeat(300)])('[AU-029] include malformed ones: %s', async (pin) => {
    for (let turn = 1; turn <= 5; turn += 1) expectError(await create(pin), 'invalid_credentials', null, aboutPin)
    expectError(await create(own.pin), 'rate_limited')
  })

  it('[AU-029] are two PINs sent at once', async () => {
    const lines = ['Content-Length: 14', `API-Pin: ${own.pin}`]
    const raw = new Raw(system.gateway).send(`${headOf(own, 'POST /api/v2/character', lines)}{"name":"Ann"}`)
    expectError(await raw.reply(), 'invalid_credentials', null, aboutPin)
    raw.leave()
  })
})

describe('64 writes at once', () => {
  const send = (pin: string) => {
    const doors = system.gateways.map((gateway) => api(gateway, { 'API-Key': own.key }))
    const all = Array.from({ length: 64 }, (_, index) => create(pin, doors[index % doors.length]))
    return Promise.all(all)
  }

  it('[AU-023] with the right PIN lock nobody out', async () => {
    const replies = await send(own.pin)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await own.get('/api/v2/character')).body.data).toHaveLength(64)
  })

  it('[AU-023] with wrong PINs are five tries and no more', async () => {
    const replies = await send('4321')
    const tried = replies.filter(({ status }) => status === 401)
    const locked = replies.filter(({ status }) => status === 429)
    expect(tried.length).toBeLessThanOrEqual(5)
    expect(tried.length + locked.length).toBe(64)
    for (const reply of tried) expectError(reply, 'invalid_credentials', null, aboutPin)
    for (const reply of locked) expectError(reply, 'rate_limited')
    expectError(await create(own.pin), 'rate_limited')
    expect((await own.get('/api/v2/character')).body.data).toEqual([])
  })
})
