/**
 * How many tickets a world was issued: files in the last 24 hours, images on this day (UTC). Counted
 * by Redis's clock, and from the rows again when Redis has lost the count. Whoever takes holds the
 * world's lock, so that no ticket is between the count and its row.
 */
import type { Transaction } from '@worlds/runtime/postgres'
import type { Redis } from 'ioredis'
import type { QuotaConfig } from './config'
import { agesOfFileTickets, countImageTickets } from './store/issued'

/** A member beyond every time says that the set is whole. */
const takeRolling = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if not redis.call('ZSCORE', KEYS[1], 'whole') then return 'unknown' end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
if redis.call('ZCARD', KEYS[1]) - 1 >= tonumber(ARGV[2]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return tostring(first[2] + ARGV[3] - now)
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3] + 60000)
return 'taken'
`

const fillRolling = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #ARGV, 2 do redis.call('ZADD', KEYS[1], now - ARGV[index + 1], ARGV[index]) end
redis.call('ZADD', KEYS[1], '+inf', 'whole')
redis.call('PEXPIRE', KEYS[1], ARGV[1] + 60000)
return 1
`

/** Days are Redis's; a count of another day is none. */
const takeDaily = `
local time = redis.call('TIME')
local day = math.floor(time[1] / 86400)
local counted = redis.call('HMGET', KEYS[1], 'day', 'count')
if tonumber(counted[1]) ~= day then
  if ARGV[2] == '' then return 'unknown' end
  redis.call('HSET', KEYS[1], 'day', day, 'count', ARGV[2])
  counted[2] = ARGV[2]
end
if tonumber(counted[2]) >= tonumber(ARGV[1]) then
  return tostring((day + 1) * 86400000 - time[1] * 1000)
end
redis.call('HINCRBY', KEYS[1], 'count', 1)
redis.call('EXPIRE', KEYS[1], 172800)
return 'taken'
`

interface Commands {
  takeRolling(key: string, id: string, limit: number, windowMs: number): Promise<string>
  fillRolling(key: string, windowMs: number, ...entries: (string | number)[]): Promise<number>
  takeDaily(key: string, limit: number, known: string): Promise<string>
}

export class Quotas {
  readonly #commands: Commands

  constructor(
    redis: Redis,
    private readonly config: QuotaConfig,
  ) {
    redis.defineCommand('takeRolling', { numberOfKeys: 1, lua: takeRolling })
    redis.defineCommand('fillRolling', { numberOfKeys: 1, lua: fillRolling })
    redis.defineCommand('takeDaily', { numberOfKeys: 1, lua: takeDaily })
    this.#commands = redis as unknown as Commands
  }

  /** 0 when the ticket is granted; else the milliseconds until the oldest leaves the window. */
  async takeFile(tx: Transaction, worldId: string, id: string): Promise<number> {
    const { fileTickets, fileWindowMs } = this.config
    const key = `file-tickets:{${worldId}}`
    const take = () => this.#commands.takeRolling(key, id, fileTickets, fileWindowMs)
    let outcome = await take()
    if (outcome === 'unknown') {
      const issued = await agesOfFileTickets(tx, worldId, fileWindowMs)
      await this.#commands.fillRolling(key, fileWindowMs, ...issued.flatMap(({ id, ageMs }) => [id, ageMs]))
      outcome = await take()
    }
    return waitOf(outcome)
  }

  /** 0 when the ticket is granted; else the milliseconds until the day is over. */
  async takeImage(tx: Transaction, worldId: string): Promise<number> {
    const { imageTickets } = this.config
    const key = `image-tickets:{${worldId}}`
    let outcome = await this.#commands.takeDaily(key, imageTickets, '')
    if (outcome === 'unknown') {
      const known = await countImageTickets(tx, worldId)
      outcome = await this.#commands.takeDaily(key, imageTickets, String(known))
    }
    return waitOf(outcome)
  }
}

function waitOf(outcome: string): number {
  if (outcome === 'taken') return 0
  const wait = Number(outcome)
  if (!Number.isFinite(wait)) throw new Error(`a quota answered ${outcome}`)
  return Math.max(wait, 1)
}
