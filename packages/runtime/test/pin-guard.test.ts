import { randomUUID } from 'node:crypto'
import { PinGuard, type PinGuardConfig, type PinOutcome } from '@worlds/runtime/pin-guard'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'

const config: PinGuardConfig = {
  tries: 3,
  lockoutsMs: [600_000],
  triesPerWindow: 6,
  windowMs: 600_000,
  knownAddresses: 4,
}

let redis: Redis
let prefix: string
let holder: string
beforeEach(() => {
  prefix = `pin-guard-${randomUUID()}:`
  holder = `account:${randomUUID()}`
  redis = new Redis(testServers().redisUrl, { keyPrefix: prefix })
})
afterEach(() => redis.disconnect())

const keys = async () => (await redis.keys(`${prefix}*`)).sort()

function attempts(over: Partial<PinGuardConfig> = {}) {
  const guard = new PinGuard(redis, { ...config, ...over })
  return (address: string, outcome: PinOutcome) => guard.decide(holder, address, outcome)
}

const isLocked = async (attempt: ReturnType<typeof attempts>, address: string) =>
  (await attempt(address, 'missing')).lockedMs > 0

describe('the two counters of wrong PINs', () => {
  it('lock one address after its own wrong PINs, and no other', async () => {
    const attempt = attempts()
    for (let turn = 0; turn < 3; turn += 1) expect((await attempt('192.0.2.1', 'wrong')).lockedMs).toBe(0)
    const { lockedMs } = await attempt('192.0.2.1', 'right')
    expect(lockedMs).toBeGreaterThan(590_000)
    expect((await attempt('192.0.2.2', 'right')).lockedMs).toBe(0)
  })

  it('are cleared by a right PIN for its own address alone', async () => {
    const attempt = attempts()
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      for (let turn = 0; turn < 2; turn += 1) await attempt(address, 'wrong')
    }
    await attempt('192.0.2.1', 'right')
    for (const address of ['192.0.2.1', '192.0.2.2']) await attempt(address, 'wrong')
    expect([await isLocked(attempt, '192.0.2.1'), await isLocked(attempt, '192.0.2.2')]).toEqual([false, true])
  })

  it('take all addresses of an IPv6 /64 for one', async () => {
    const attempt = attempts()
    for (let turn = 0; turn < 3; turn += 1) await attempt(`2001:db8::${turn}`, 'wrong')
    expect(await isLocked(attempt, '2001:db8::ffff')).toBe(true)
    expect(await isLocked(attempt, '2001:db8:0:1::1')).toBe(false)
  })

  it('let known addresses alone try once all addresses together have used up the window', async () => {
    const attempt = attempts()
    await attempt('192.0.2.1', 'right')
    for (let turn = 1; turn <= 6; turn += 1) expect((await attempt(`198.51.100.${turn}`, 'wrong')).lockedMs).toBe(0)
    for (const outcome of ['right', 'wrong', 'missing'] as const) {
      expect((await attempt('203.0.113.1', outcome)).lockedMs).toBeGreaterThan(590_000)
    }
    expect((await attempt('192.0.2.1', 'right')).lockedMs).toBe(0)
    expect((await attempt('192.0.2.1', 'wrong')).lockedMs).toBe(0)
    expect((await attempt('192.0.2.1', 'right')).lockedMs).toBe(0)
  })

  it('count parallel attempts exactly', async () => {
    const attempt = attempts()
    const all = Array.from({ length: 60 }, (_, turn) => attempt(`198.51.100.${turn}`, 'wrong'))
    const compared = (await Promise.all(all)).filter(({ lockedMs }) => lockedMs === 0)
    expect(compared).toHaveLength(6)
  })

  it('admit unknown addresses again when the oldest wrong PIN has left the window', async () => {
    const attempt = attempts({ windowMs: 300, lockoutsMs: [1] })
    for (let turn = 1; turn <= 6; turn += 1) await attempt(`198.51.100.${turn}`, 'wrong')
    expect(await isLocked(attempt, '203.0.113.1')).toBe(true)
    await until(async () => (await attempt('203.0.113.1', 'right')).lockedMs === 0)
  })

  it('ask for a notice when the window is used up, and not at each refusal', async () => {
    const attempt = attempts()
    const notices: boolean[] = []
    for (let turn = 1; turn <= 9; turn += 1) notices.push((await attempt(`198.51.100.${turn}`, 'wrong')).mustNotify)
    expect(notices).toEqual([false, false, false, false, false, true, false, false, false])
  })
})

describe('what Redis holds of a PIN holder', () => {
  it('is bounded, however many addresses guess or know the PIN', async () => {
    const attempt = attempts()
    for (let turn = 1; turn <= 20; turn += 1) await attempt(`192.0.2.${turn}`, 'right')
    for (let turn = 1; turn <= 40; turn += 1) await attempt(`198.51.100.${turn}`, 'wrong')
    const root = `pin:{${holder}}`
    expect(await redis.zcard(`${root}:known`)).toBe(4)
    expect(await redis.llen(`${root}:wrong`)).toBe(6)
    expect((await keys()).filter((key) => key.includes(':at:'))).toHaveLength(6)
  })

  it('expires by itself', async () => {
    const attempt = attempts({ windowMs: 200, lockoutsMs: [50] })
    await attempt('192.0.2.1', 'right')
    for (let turn = 1; turn <= 8; turn += 1) await attempt('198.51.100.1', 'wrong')
    expect(await keys()).not.toEqual([])
    await until(async () => (await keys()).length === 0)
  })
})
