/** How much of a keyed request's reply Redis keeps, and for how long; PostgreSQL has the whole for a day. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiReply } from '@worlds/testkit/api'
import { repositoryRoot } from '@worlds/testkit/paths'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'
import { newOwner, type Owner } from './support'

/** What docs/operations.md says that one record takes at most, key and expiry included. */
const recordKiB = 17
/** Defaults of IDEMPOTENCY_RECORD_MS, REQUEST_BUDGET and REQUEST_BUDGET_WINDOW_S. */
const recordMs = 600_000
const requestsPerSecond = 1_200 / 60

let system: System
let own: Owner
let redis: Redis

beforeAll(async () => {
  system = await startSystem()
  own = await newOwner(system)
  redis = new Redis(system.redisUrl)
})
afterAll(async () => {
  redis.disconnect()
  await system.stop()
})

const keyed = (key: string) => ({ 'Idempotency-Key': key })
const longKey = () => randomUUID().padEnd(200, 'k')
const isReplay = ({ headers }: ApiReply) => headers.get('idempotent-replay') === 'true'
const create = (size: number, key: string) =>
  own.post('/api/v2/character', { name: 'Ann', description: 'd'.repeat(size) }, keyed(key))
const recordsOf = () => redis.keys(`${system.redisPrefix}:idempotency:{${own.world}}:*`)
const recordOf = async (key: string) => (await recordsOf()).find((name) => name.endsWith(`:${key}`)) ?? ''

describe('the record of a keyed request', () => {
  it.each([0, 14_000, 15_000, 15_500, 16_500, 100_000, 2_000_000])(
    '[ID-001][ID-004][ID-005] replays a reply with a description of %i bytes and takes at most 17 KiB of Redis',
    async (size) => {
      const key = longKey()
      const first = await create(size, key)
      expect([first.status, isReplay(first)]).toEqual([201, false])
      const record = await recordOf(key)
      expect(Number(await redis.memory('USAGE', record))).toBeLessThanOrEqual(recordKiB * 1024)
      const life = await redis.pttl(record)
      expect([life > 0, life <= recordMs]).toEqual([true, true])

      const again = await Promise.all([1, 2, 3].map(() => create(size, key)))
      for (const reply of again) {
        expect([reply.status, isReplay(reply), reply.text === first.text]).toEqual([201, true, true])
      }
      const other = await create(size + 1, key)
      expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_error'])
    },
  )

  it('[ID-002][ID-009] replays a bulk of a thousand with its errors', async () => {
    const bad = { type: 'character', element: { name: 'B', location: randomUUID() } }
    const items = Array.from({ length: 1_000 }, (_, at) =>
      at % 2 ? bad : { type: 'character', element: { name: `A${at}` } },
    )
    const key = longKey()
    const write = () => own.post('/api/v2/bulk', { items }, keyed(key))
    const first = await write()
    const head = await own.head()
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(100_000)
    expect(Number(await redis.memory('USAGE', await recordOf(key)))).toBeLessThanOrEqual(1024)
    const second = await write()
    expect([second.status, isReplay(second), second.text === first.text]).toEqual([200, true, true])
    expect(await own.head()).toBe(head)
  })

  it('is bounded for a key that spends its whole request budget, as docs/operations.md says', () => {
    const mebibytes = Math.ceil((requestsPerSecond * (recordMs / 1000) * recordKiB) / 1024)
    const guide = readFileSync(join(repositoryRoot, 'docs/operations.md'), 'utf8')
    expect(guide).toContain(`= ${mebibytes} MiB`)
  })
})

describe('a reply whose record has expired', () => {
  it('[ID-003][ID-005] is replayed from its receipt', async () => {
    await system.processes.restart('element', { IDEMPOTENCY_RECORD_MS: '200' })
    for (const size of [0, 100_000]) {
      const key = longKey()
      const first = await create(size, key)
      await until(async () => (await recordOf(key)) === '')
      const second = await create(size, key)
      expect([second.status, isReplay(second), second.text === first.text]).toEqual([201, true, true])
    }
  })
})
