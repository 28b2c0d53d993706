import { type Api, api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { accountApi, expectError } from './hostile-table'
import { expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let keyed: Api

beforeAll(async () => {
  const short = { PIN_TRIES: '3', PIN_LOCKOUTS_MS: '1200,2600' }
  system = await startSystem({ env: { gateway: short, membership: short } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  keyed = api(system.gateway, { 'API-Key': own.key })
})

const create = (pin: string) => keyed.post('/api/v2/character', { name: 'Ann' }, { 'API-Pin': pin })
const account = () => accountApi(system.gateway, own.token)

/** Waits until a write without a PIN, which counts nothing, is no longer told of a lockout. */
async function waitOut(): Promise<{ tookMs: number; toldS: number }> {
  const started = Date.now()
  const first = await create(own.pin)
  expectError(first, 'rate_limited')
  await until(async () => (await keyed.delete('/api/v2/zone/nope', undefined, { 'API-Pin': '' })).status === 401)
  return { tookMs: Date.now() - started, toldS: Number(first.headers.get('retry-after')) }
}

/** Guesses wrongly until that is counted, which the lockout's end lets it be. */
async function guess(): Promise<void> {
  await until(async () => (await create('4321')).status === 401)
}

describe('a lockout', () => {
  it('[AU-025] refuses the right PIN until it ends, and then lets it in', async () => {
    for (let turn = 0; turn < 3; turn += 1) expectError(await create('4321'), 'invalid_credentials')
    const { tookMs, toldS } = await waitOut()
    expect(toldS).toBe(2)
    expect(tookMs).toBeGreaterThan(900)
    expect(tookMs).toBeLessThan(2_200)
    expect((await create(own.pin)).status).toBe(201)
  })

  it('[AU-025] is longer after one more wrong PIN, and repeats its longest time', async () => {
    for (let turn = 0; turn < 3; turn += 1) expectError(await create('4321'), 'invalid_credentials')
    expect((await waitOut()).toldS).toBe(2)
    for (let turn = 0; turn < 2; turn += 1) {
      await guess()
      const { toldS, tookMs } = await waitOut()
      expect(toldS).toBe(3)
      expect(tookMs).toBeGreaterThan(2_300)
    }
  })

  it('[AU-025] starts from the beginning after a right PIN', async () => {
    for (let turn = 0; turn < 3; turn += 1) expectError(await create('4321'), 'invalid_credentials')
    await waitOut()
    expect((await create(own.pin)).status).toBe(201)
    for (let turn = 0; turn < 3; turn += 1) expectError(await create('4321'), 'invalid_credentials')
    expect((await waitOut()).toldS).toBe(2)
  })

  it('[AU-025] is not prolonged by tries while it lasts', async () => {
    for (let turn = 0; turn < 3; turn += 1) expectError(await create('4321'), 'invalid_credentials')
    const started = Date.now()
    await until(async () => (await create('4321')).status !== 429)
    expect(Date.now() - started).toBeLessThan(2_200)
    expectError(await create(own.pin), 'rate_limited')
  })

  it('[AU-023] counts guesses at the PIN on the account and on worlds together', async () => {
    const change = (current_pin: string) => account().patch('/api/v2/account', { pin: '5678', current_pin })
    expectError(await change('4321'), 'invalid_credentials', 'current_pin')
    expectError(await create('4321'), 'invalid_credentials')
    expectError(await change('4321'), 'invalid_credentials', 'current_pin')
    const reply = await change(own.pin)
    expectError(reply, 'rate_limited')
    expect(reply.headers.get('retry-after')).toBe('2')
    expectError(await create(own.pin), 'rate_limited')
    await until(async () => (await change(own.pin)).status === 200)
    expect((await create('5678')).status).toBe(201)
  })

  it('[AU-023] leaves what needs no PIN as it was', async () => {
    for (let turn = 0; turn < 3; turn += 1) expectError(await create('4321'), 'invalid_credentials')
    expectBody(await account().patch('/api/v2/account', { name: 'Still here' }), 200)
    expectBody(await account().get('/api/v2/account/worlds'), 200)
    expect((await keyed.get('/api/v2/character')).body.data).toEqual([])
  })
})
