import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'
import { accountApi, expectError } from './hostile-table'
import { type Body, expectBody, newOwner, type Owner } from './support'

let system: System
let own: Owner
let keyed: Api

beforeAll(async () => {
  const many = { UNKNOWN_CREDENTIALS_PER_MINUTE: '100000', REQUEST_BUDGET: '100000' }
  const env = { gateway: { TRUST_PROXY: '1', DEV_MAIL: 'true', ...many }, membership: { DEV_MAIL: 'true' } }
  system = await startSystem({ gateways: 2, env })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  keyed = api(system.gateway, { 'API-Key': own.key })
})

const create = (pin: string, address: string, by = keyed) =>
  by.post('/api/v2/character', { name: 'Ann' }, { 'API-Pin': pin, 'X-Forwarded-For': address })

/** Sends 50 wrong PINs, no more than four from each address. */
async function guessAll(send: (address: string) => Promise<ApiReply>, param: string | null = null): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    expectError(await send(`198.51.100.${turn >> 2}`), 'invalid_credentials', param)
  }
}

const mailsTo = async (to: string): Promise<Body[]> =>
  expectBody(await api(system.gateway).get('/dev/mail', { Accept: 'application/json' }), 200).data.filter(
    (mail: Body) => mail.to === to,
  )
const emailOf = async ({ token }: Owner): Promise<string> =>
  expectBody(await accountApi(system.gateway, token).get('/api/v2/account'), 200).emails[0].email

describe('wrong PINs of one address', () => {
  it('[AU-023] lock that address alone', async () => {
    for (let turn = 0; turn < 5; turn += 1) expectError(await create('4321', '198.51.100.1'), 'invalid_credentials')
    expectError(await create(own.pin, '198.51.100.1'), 'rate_limited')
    expect((await create(own.pin, '192.0.2.1')).status).toBe(201)
    expectError(await create(own.pin, '198.51.100.1'), 'rate_limited')
  })

  it('[AU-023] are not forgotten by a right PIN from another', async () => {
    for (let turn = 0; turn < 4; turn += 1) expectError(await create('4321', '198.51.100.1'), 'invalid_credentials')
    expect((await create(own.pin, '192.0.2.1')).status).toBe(201)
    expectError(await create('4321', '198.51.100.1'), 'invalid_credentials')
    expectError(await create('4321', '198.51.100.1'), 'rate_limited')
  })

  it('[AU-023] count for all of an IPv6 /64', async () => {
    for (let turn = 0; turn < 5; turn += 1)
      expectError(await create('4321', `2001:db8::${turn}:1`), 'invalid_credentials')
    expectError(await create(own.pin, '2001:db8::ffff'), 'rate_limited')
    expect((await create(own.pin, '2001:db8:1::1')).status).toBe(201)
  })
})

describe('wrong PINs of many addresses', () => {
  it('[AU-023][AU-024] are 50 in 24 hours, right ones between them or not', async () => {
    expect((await create(own.pin, '192.0.2.1')).status).toBe(201)
    let turn = 0
    await guessAll(async (address) => {
      turn += 1
      if (turn % 4 === 0) expect((await create(own.pin, '192.0.2.1')).status).toBe(201)
      return create('4321', address)
    })
    for (const gateway of system.gateways) {
      const door = api(gateway, { 'API-Key': own.key })
      for (const pin of ['4321', own.pin]) {
        const reply = await create(pin, '203.0.113.1', door)
        expectError(reply, 'rate_limited')
        const seconds = Number(reply.headers.get('retry-after'))
        expect(seconds).toBeGreaterThan(86_000)
        expect(seconds).toBeLessThanOrEqual(86_400)
      }
      expect((await create(own.pin, '192.0.2.1', door)).status).toBe(201)
    }
  })

  it('[AU-023] are mailed to the account once, from whichever route they come', async () => {
    const email = await emailOf(own)
    const before = (await mailsTo(email)).length
    const account = accountApi(system.gateway, own.token)
    const change = (address: string) =>
      account.patch('/api/v2/account', { pin: '5678', current_pin: '4321' }, { 'X-Forwarded-For': address })
    await guessAll(change, 'current_pin')
    await until(async () => (await mailsTo(email)).length === before + 1)
    expectError(await change('203.0.113.1'), 'rate_limited')
    expectError(await create(own.pin, '203.0.113.2'), 'rate_limited')
    const [mail, ...others] = await mailsTo(email)
    expect(others).toHaveLength(before)
    expect(mail?.subject).toMatch(/PIN/)
    expect(mail?.text).not.toMatch(/4321|198\.51/)
  })

  it('[AU-023] at the secret of a seat lock that seat, and are mailed to its sponsor', async () => {
    const seat = await addSeat(system, own)
    const by = api(system.gateway, { 'API-Key': String(seat.headers['API-Key']) })
    const email = await emailOf(own)
    await guessAll((address) => create('ow_s_wrong', address, by))
    expectError(await create(String(seat.headers['API-Pin']), '203.0.113.1', by), 'rate_limited')
    await until(async () => (await mailsTo(email)).length === 1)
    expect((await create(own.pin, '203.0.113.1')).status).toBe(201)
  })
})

describe('while membership is away', () => {
  it('[AU-023][AU-024] wrong PINs beyond the limit are refused as ever', async () => {
    const env = { gateway: { TRUST_PROXY: '1', PIN_TRIES_PER_WINDOW: '2' } }
    const alone = await startSystem({ env })
    const redis = new Redis(testServers().redisUrl)
    try {
      const owner = await newOwner(alone)
      const by = api(alone.gateway, { 'API-Key': owner.key })
      expect((await create(owner.pin, '192.0.2.1', by)).status).toBe(201)
      for (const address of ['198.51.100.1', '198.51.100.2']) {
        expectError(await create('4321', address, by), 'invalid_credentials')
      }
      await alone.processes.kill('membership')
      // So that the next refusal asks for a notice again.
      const marks = await redis.keys(`${alone.redisPrefix}:pin:*:notified`)
      expect(await redis.del(...marks)).toBe(1)
      for (const pin of ['4321', owner.pin]) expectError(await create(pin, '203.0.113.1', by), 'rate_limited')
      expect((await create(owner.pin, '192.0.2.1', by)).status).toBe(201)
    } finally {
      redis.disconnect()
      await alone.stop()
    }
  })
})
