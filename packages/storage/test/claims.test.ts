import { randomBytes } from 'node:crypto'
import { Claims } from '@worlds/storage/claims'
import { Rooms, roomKey, worldRoom } from '@worlds/storage/rooms'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'

describe('claims', () => {
  const prefix = `claims-${randomBytes(4).toString('hex')}:`
  let redis: Redis
  let claims: Claims
  let count = 0
  beforeAll(() => {
    redis = new Redis(testServers().redisUrl, { keyPrefix: prefix })
    claims = new Claims(redis)
  })
  afterAll(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(...keys.map((key) => key.slice(prefix.length)))
    await redis.quit()
  })

  const newTicket = () => {
    count += 1
    return { worldId: 'w', id: `ticket-${count}` }
  }
  const minute = 60_000

  it('gives one of many the ticket', async () => {
    const ticket = newTicket()
    const outcomes = await Promise.all(Array.from({ length: 64 }, (_, n) => claims.claim(ticket, `t${n}`, minute)))
    expect(outcomes.filter(({ outcome }) => outcome === 'claimed')).toHaveLength(1)
    expect(outcomes.filter(({ outcome }) => outcome === 'busy')).toHaveLength(63)
  })

  it('goes from free to busy to used, and stays used', async () => {
    const ticket = newTicket()
    expect(await claims.state(ticket)).toBe('free')
    await claims.claim(ticket, 'a', minute)
    expect(await claims.state(ticket)).toBe('busy')
    expect(await claims.beginPut(ticket, 'k', 'a', minute)).toBe('putting')
    expect(await claims.spend(ticket, 'a', minute)).toBe('spent')
    expect(await claims.state(ticket)).toBe('used')
    expect(await claims.spend(ticket, 'a', minute)).toBe('spent')
    expect(await claims.claim(ticket, 'b', minute)).toEqual({ outcome: 'used' })
    await claims.release(ticket, 'k', 'b')
    expect(await claims.state(ticket)).toBe('used')
  })

  it('is anybody’s again when it was released or its lease is over', async () => {
    const ticket = newTicket()
    await claims.claim(ticket, 'a', minute)
    await claims.release(ticket, ticket.id, 'a')
    expect(await claims.claim(ticket, 'b', 30)).toEqual({ outcome: 'claimed', before: null, entered: null })
    await until(async () => (await claims.state(ticket)) === 'free')
    expect(await claims.claim(ticket, 'c', minute)).toMatchObject({ outcome: 'claimed' })
  })

  it('is claimed once by one token however often it asks, until it puts', async () => {
    const ticket = newTicket()
    for (const _time of [1, 2]) {
      expect(await claims.claim(ticket, 'a', minute)).toEqual({ outcome: 'claimed', before: null, entered: null })
    }
    expect(await claims.claim(ticket, 'b', minute)).toEqual({ outcome: 'busy' })
    await claims.beginPut(ticket, 'k', 'a', minute)
    expect(await claims.claim(ticket, 'a', minute)).toEqual({ outcome: 'busy' })
  })

  it('tells the next where the one before was last heard of', async () => {
    const ticket = newTicket()
    await claims.claim(ticket, 'a', minute)
    await claims.beginPut(ticket, 'u/w/a.png', 'a', 30)
    await until(async () => (await claims.state(ticket)) === 'free')
    expect(await claims.claim(ticket, 'b', minute)).toEqual({ outcome: 'claimed', before: 'u/w/a.png', entered: null })
  })

  it('enters a room along with the claim, and only with it', async () => {
    const rooms = new Rooms(redis)
    const space = { room: worldRoom('w'), bytes: 60, holds: 100 }
    const [lost, first, second] = [newTicket(), newTicket(), newTicket()]
    expect(await claims.claim(lost, 'a', minute, space)).toMatchObject({ outcome: 'claimed', entered: 'unknown' })
    await rooms.fill(space.room, String(await rooms.lossOf(space.room)), [])
    expect(await claims.claim(lost, 'b', minute, space)).toEqual({ outcome: 'busy' })
    expect(await claims.claim(first, 'a', minute, space)).toEqual({
      outcome: 'claimed',
      before: null,
      entered: 'entered',
    })
    expect(await claims.claim(first, 'b', minute, space)).toEqual({ outcome: 'busy' })
    expect(await claims.claim(second, 'a', minute, space)).toMatchObject({ outcome: 'claimed', entered: 'full' })
    // The entry is the holder's, not of who was refused.
    await rooms.leave(space.room, first.id, 'b')
    expect(await redis.hget(roomKey(space.room), 'total')).toBe('60')
    await rooms.leave(space.room, first.id, 'a')
    expect(await redis.hget(roomKey(space.room), 'total')).toBe('0')
  })

  it('keeps the entry in the room along with the spend, for whoever gives it back by its token', async () => {
    const rooms = new Rooms(redis)
    const space = { room: worldRoom('kept'), bytes: 60, holds: 100 }
    const ticket = newTicket()
    await rooms.fill(space.room, String(await rooms.lossOf(space.room)), [])
    await claims.claim(ticket, 'a', minute, space)
    expect(await claims.spend(ticket, 'a', minute, space)).toBe('spent')
    const again = { holds: space.holds, leaseMs: minute }
    expect(await rooms.enter(space.room, ticket.id, space.bytes, 'found', again)).toBe('kept')
    expect(await rooms.enter(space.room, 'other', 41, 'b', again)).toBe('full')
    await rooms.leave(space.room, ticket.id, 'a')
    expect(await rooms.enter(space.room, 'other', 41, 'b', again)).toBe('entered')
  })

  it('spends nothing where the room has no place any longer, or was lost', async () => {
    const rooms = new Rooms(redis)
    const space = { room: worldRoom('lost'), bytes: 60, holds: 100 }
    const ticket = newTicket()
    await claims.claim(ticket, 'a', minute)
    expect(await claims.spend(ticket, 'a', minute, space)).toBe('unknown')
    await rooms.fill(space.room, String(await rooms.lossOf(space.room)), [{ id: 'large', bytes: 50 }])
    expect(await claims.spend(ticket, 'a', minute, space)).toBe('full')
    expect(await claims.state(ticket)).toBe('busy')
    await rooms.leave(space.room, 'large')
    expect(await claims.spend(ticket, 'a', minute, space)).toBe('spent')
    expect(await claims.spend(ticket, 'b', minute, space)).toBe('lost')
  })

  it('takes a spend back that came too late to be answered', async () => {
    const ticket = newTicket()
    await claims.claim(ticket, 'a', minute)
    await claims.spend(ticket, 'a', minute)
    await claims.release(ticket, ticket.id, 'a')
    expect(await claims.state(ticket)).toBe('free')
  })

  it('leaves whoever lost it with nothing to do', async () => {
    const ticket = newTicket()
    await claims.claim(ticket, 'slow', 30)
    await until(async () => (await claims.state(ticket)) === 'free')
    await claims.claim(ticket, 'quick', minute)
    expect(await claims.renew(ticket, 'slow', minute)).toBe(false)
    expect(await claims.beginPut(ticket, 'k', 'slow', minute)).toBe('lost')
    expect(await claims.spend(ticket, 'slow', minute)).toBe('lost')
    await claims.release(ticket, 'k', 'slow')
    expect(await claims.state(ticket)).toBe('busy')
    expect(await claims.renew(ticket, 'quick', minute)).toBe(true)
  })

  it('gives one of two tickets the key that both want, and the other when that one is done', async () => {
    const [one, other] = [newTicket(), newTicket()]
    await claims.claim(one, 'a', minute)
    await claims.claim(other, 'b', minute)
    expect(await claims.beginPut(one, 'same', 'a', minute)).toBe('putting')
    expect(await claims.beginPut(other, 'same', 'b', minute)).toBe('taken')
    await claims.release(one, 'same', 'a')
    expect(await claims.beginPut(other, 'same', 'b', minute)).toBe('putting')
  })
})
