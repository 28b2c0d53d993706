import { randomBytes } from 'node:crypto'
import { type Entry, Rooms, roomKey } from '@worlds/storage/rooms'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import fc from 'fast-check'
import { Redis } from 'ioredis'

const holds = 100

/** What a room should hold, by a map. */
class Model {
  complete = false
  readonly entries = new Map<string, { bytes: number; token: string; isKept: boolean }>()

  get total(): number {
    return [...this.entries.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  enter(id: string, bytes: number, token: string, isKept: boolean): string {
    if (!this.complete) return 'unknown'
    const entry = this.entries.get(id)
    if (entry?.isKept) return 'kept'
    if (this.total - (entry?.bytes ?? 0) + bytes > holds) return 'full'
    this.entries.set(id, { bytes, token, isKept })
    return 'entered'
  }

  keep(id: string, bytes: number): void {
    if (this.complete) this.entries.set(id, { bytes, token: '', isKept: true })
  }

  leave(id: string, token: string): void {
    if (token === '' || this.entries.get(id)?.token === token) this.entries.delete(id)
  }

  fill(entries: readonly Entry[]): void {
    if (this.complete) return
    this.entries.clear()
    for (const { id, bytes, token = '' } of entries) this.entries.set(id, { bytes, token, isKept: true })
    this.complete = true
  }

  lose(): void {
    this.complete = false
    this.entries.clear()
  }
}

const id = fc.constantFrom('a', 'b', 'c', 'd')
const token = fc.constantFrom('t1', 't2')
const bytes = fc.integer({ min: 1, max: 60 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('enter' as const), id, bytes, token, leaseMs: fc.constantFrom(0, 60_000) }),
  fc.record({ kind: fc.constant('renew' as const), id, token }),
  fc.record({ kind: fc.constant('keep' as const), id, bytes }),
  fc.record({ kind: fc.constant('leave' as const), id, token: fc.constantFrom('', 't1', 't2') }),
  fc.record({
    kind: fc.constant('fill' as const),
    entries: fc.uniqueArray(fc.record({ id, bytes, token: fc.option(token, { nil: undefined }) }), {
      selector: (e) => e.id,
      maxLength: 2,
    }),
  }),
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const) }) },
)

describe('rooms', () => {
  const prefix = `rooms-${randomBytes(4).toString('hex')}:`
  let redis: Redis
  let rooms: Rooms
  beforeAll(() => {
    redis = new Redis(testServers().redisUrl, { keyPrefix: prefix })
    rooms = new Rooms(redis)
  })
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(...keys.map((key) => key.slice(prefix.length)))
    await redis.quit()
  })

  const lossOf = async (room: string) => String(await rooms.lossOf(room))

  it('answers as a map of entries would, whatever is done in whichever order', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        runs += 1
        const room = `world:${runs}`
        const model = new Model()
        let loss = await lossOf(room)
        await rooms.fill(room, loss, [])
        model.fill([])
        for (const one of steps) {
          if (one.kind === 'enter') {
            const { leaseMs } = one
            const entered = await rooms.enter(room, one.id, one.bytes, one.token, { holds, leaseMs })
            expect(entered).toBe(model.enter(one.id, one.bytes, one.token, leaseMs === 0))
          } else if (one.kind === 'keep') {
            await rooms.keep(room, one.id, one.bytes)
            model.keep(one.id, one.bytes)
          } else if (one.kind === 'renew') {
            await rooms.renew(room, one.id, one.token, 60_000)
          } else if (one.kind === 'leave') {
            await rooms.leave(room, one.id, one.token)
            model.leave(one.id, one.token)
          } else if (one.kind === 'fill') {
            // After an earlier loss nothing is filled.
            expect(await rooms.fill(room, loss, one.entries)).toBe(false)
            if (!model.complete) {
              loss = await lossOf(room)
              expect(await lossOf(room)).toBe(loss)
              expect(await rooms.fill(room, loss, one.entries)).toBe(true)
            }
            expect(await rooms.lossOf(room)).toBeNull()
            model.fill(one.entries)
          } else {
            await rooms.forget(room)
            model.lose()
          }
          expect(await rooms.booked(room)).toBe(model.complete ? model.total : null)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('lets in no more than it holds when many enter at once', async () => {
    await rooms.fill('world:crowd', await lossOf('world:crowd'), [{ id: 'there', bytes: 10 }])
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => rooms.enter('world:crowd', `f${n}`, 20, `t${n}`, { holds, leaseMs: 0 })),
    )
    expect(outcomes.filter((outcome) => outcome === 'entered')).toHaveLength(4)
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(46)
  })

  it('gives the place of one whose lease is over to who needs it, and of nobody else', async () => {
    const room = 'world:leases'
    await rooms.fill(room, await lossOf(room), [{ id: 'kept', bytes: 40 }])
    const enter = (id: string, bytes: number, leaseMs: number) =>
      rooms.enter(room, id, bytes, `of ${id}`, { holds, leaseMs })
    expect([await enter('dead', 20, 30), await enter('slow', 20, 30), await enter('promised', 20, 0)]).toEqual(
      Array(3).fill('entered'),
    )
    await rooms.renew(room, 'slow', 'of slow', 60_000)
    await rooms.renew(room, 'dead', 'of another', 60_000)
    await until(async () => (await enter('next', 20, 0)) === 'entered')
    expect(await enter('one more', 1, 0)).toBe('full')
    expect(Object.keys(await redis.hgetall(roomKey(room))).sort()).toEqual([
      'complete',
      'kept',
      'next',
      'promised',
      'slow',
      'total',
    ])
    expect(await redis.hget(roomKey(room), 'total')).toBe('100')
    // Who was thought dead gives back nothing of another's.
    await rooms.leave(room, 'dead', 'of dead')
    await rooms.leave(room, 'slow', 'of slow')
    expect(await redis.hget(roomKey(room), 'total')).toBe('80')
  })
})
