/**
 * Rooms: what the files of a world, or the images of an account, take and may take. One hash a
 * room, with an entry per file, so that to enter, keep and leave are idempotent; its sum never goes
 * over what the room holds. An entry with a lease is nobody's any longer once that is over; it goes when
 * its place is needed. A room that Redis has lost is nobody's to enter until the file service has
 * filled it again from its rows.
 */
import { randomUUID } from 'node:crypto'
import { forgetKeys } from '@worlds/runtime/forget-keys'
import type { Redis } from 'ioredis'

/** Kept for so long after its last use: far longer than a ticket lives. */
const keepS = 172_800

const shared = `
local function bytesOf(entry) return entry and tonumber(string.match(entry, '^(%d+):')) or 0 end
local function put(room, id, bytes, holder)
  local before = bytesOf(redis.call('HGET', room, id))
  redis.call('HSET', room, id, bytes .. ':' .. holder)
  redis.call('HINCRBY', room, 'total', bytes - before)
end
`

/** For every script that enters a room: a world's has the slot of the world's tickets. */
export const enterLua = `${shared}
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function heldBy(token, leaseMs)
  if tonumber(leaseMs) == 0 then return token .. ':kept' end
  return token .. ':' .. string.format('%.0f', clock() + leaseMs)
end
local function sweep(room)
  local now = clock()
  local fields = redis.call('HGETALL', room)
  for index = 1, #fields, 2 do
    local bytes, ends = string.match(fields[index + 1], '^(%d+):[^:]+:(%d+)$')
    if ends and tonumber(ends) < now then
      redis.call('HDEL', room, fields[index])
      redis.call('HINCRBY', room, 'total', -tonumber(bytes))
    end
  end
end
local function fits(room, id, bytes, holds)
  local total = tonumber(redis.call('HGET', room, 'total')) or 0
  return total - bytesOf(redis.call('HGET', room, id)) + bytes <= tonumber(holds)
end
local function enter(room, id, bytes, token, holds, leaseMs)
  if redis.call('HEXISTS', room, 'complete') == 0 then return 'unknown' end
  if string.match(redis.call('HGET', room, id) or '', ':kept$') then return 'kept' end
  if not fits(room, id, bytes, holds) then sweep(room) end
  if not fits(room, id, bytes, holds) then return 'full' end
  put(room, id, bytes, heldBy(token, leaseMs))
  redis.call('EXPIRE', room, ${keepS})
  return 'entered'
end
`

const enter = `${enterLua}
return enter(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
`

const renew = `${enterLua}
local bytes, token, ends = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+):([^:]+):(.+)$')
if token ~= ARGV[2] or ends == 'kept' then return 0 end
put(KEYS[1], ARGV[1], bytes, heldBy(token, ARGV[3]))
return 1
`

const keep = `${shared}
if redis.call('HEXISTS', KEYS[1], 'complete') == 0 then return 0 end
put(KEYS[1], ARGV[1], ARGV[2], 'kept')
redis.call('EXPIRE', KEYS[1], ${keepS})
return 1
`

const leave = `${shared}
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or (ARGV[2] ~= '' and string.match(entry, '^%d+:([^:]+)') ~= ARGV[2]) then return 0 end
redis.call('HINCRBY', KEYS[1], 'total', -bytesOf(entry))
return redis.call('HDEL', KEYS[1], ARGV[1])
`

const nameLoss = `
if redis.call('HEXISTS', KEYS[1], 'complete') == 1 then return '' end
redis.call('HSETNX', KEYS[1], 'loss', ARGV[1])
redis.call('EXPIRE', KEYS[1], ${keepS})
return redis.call('HGET', KEYS[1], 'loss')
`

const fill = `${shared}
if redis.call('HGET', KEYS[1], 'loss') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
for _, entry in ipairs(cjson.decode(ARGV[2])) do put(KEYS[1], entry[1], entry[2], entry[3]) end
redis.call('HSET', KEYS[1], 'complete', 1)
redis.call('EXPIRE', KEYS[1], ${keepS})
return 1
`

export type Entered =
  | 'entered'
  | 'full'
  /** Redis has lost the room. */
  | 'unknown'
  /** The file is stored already. */
  | 'kept'

/** The token is of who may still give it back. */
export interface Entry {
  readonly id: string
  readonly bytes: number
  readonly token?: string | undefined
}

interface Commands {
  enterRoom(key: string, id: string, bytes: number, token: string, holds: number, leaseMs: number): Promise<Entered>
  renewInRoom(key: string, id: string, token: string, leaseMs: number): Promise<number>
  keepInRoom(key: string, id: string, bytes: number): Promise<number>
  leaveRoom(key: string, id: string, token: string): Promise<number>
  nameLoss(key: string, loss: string): Promise<string>
  fillRoom(key: string, loss: string, entries: string): Promise<number>
}

export class Rooms {
  readonly #commands: Commands

  constructor(private readonly redis: Redis) {
    redis.defineCommand('enterRoom', { numberOfKeys: 1, lua: enter })
    redis.defineCommand('renewInRoom', { numberOfKeys: 1, lua: renew })
    redis.defineCommand('keepInRoom', { numberOfKeys: 1, lua: keep })
    redis.defineCommand('leaveRoom', { numberOfKeys: 1, lua: leave })
    redis.defineCommand('nameLoss', { numberOfKeys: 1, lua: nameLoss })
    redis.defineCommand('fillRoom', { numberOfKeys: 1, lua: fill })
    this.#commands = redis as unknown as Commands
  }

  /** Bytes that the room's books hold, which are kept on for a while; null when there are no books. */
  async booked(room: string): Promise<number | null> {
    const key = roomKey(room)
    const [[, read] = [], [, expires] = []] =
      (await this.redis.multi().hmget(key, 'complete', 'total').expire(key, keepS).exec()) ?? []
    const [complete = null, total] = (read ?? []) as (string | null)[]
    return complete === null || expires !== 1 ? null : Number(total ?? 0)
  }

  /** For so long, unless it is renewed; with no lease until this token, or anybody without one, gives it back. */
  enter(
    room: string,
    id: string,
    bytes: number,
    token: string,
    { holds, leaseMs }: { readonly holds: number; readonly leaseMs: number },
  ): Promise<Entered> {
    return this.#commands.enterRoom(roomKey(room), id, bytes, token, holds, leaseMs)
  }

  /** Does nothing to an entry that is another's by now, or nobody's, or kept. */
  async renew(room: string, id: string, token: string, leaseMs: number): Promise<void> {
    await this.#commands.renewInRoom(roomKey(room), id, token, leaseMs)
  }

  /** The entry stays whoever made it, and is made if it was not. */
  async keep(room: string, id: string, bytes: number): Promise<void> {
    await this.#commands.keepInRoom(roomKey(room), id, bytes)
  }

  /** Gives an entry back; with a token only that token's own, which nobody has kept since. */
  async leave(room: string, id: string, token = ''): Promise<void> {
    await this.#commands.leaveRoom(roomKey(room), id, token)
  }

  /** Names the loss of a room's books, before it is looked for what belongs into them; null when they are there. */
  async lossOf(room: string): Promise<string | null> {
    return (await this.#commands.nameLoss(roomKey(room), randomUUID())) || null
  }

  /** Makes the books of a room anew, after that loss. False when they are there, or were lost again since. */
  async fill(room: string, loss: string, entries: readonly Entry[]): Promise<boolean> {
    const fields = entries.map(({ id, bytes, token }) => [id, bytes, token ? `${token}:kept` : 'kept'])
    const filling = this.#commands.fillRoom(roomKey(room), loss, JSON.stringify(fields))
    const filled = await filling.catch(async (error: unknown) => {
      // It may still be done, from rows that are old by then.
      await this.forget(room).catch(() => undefined)
      throw error
    })
    return filled === 1
  }

  /** Answers how many there were. */
  forgetAll(): Promise<number> {
    return forgetKeys(this.redis, 'room:')
  }

  async forget(room: string): Promise<void> {
    await this.redis.del(roomKey(room))
  }
}

export function worldRoom(worldId: string): string {
  return `world:${worldId}`
}

export function accountRoom(accountId: string): string {
  return `account:${accountId}`
}

/** Of `world:ID` or `account:ID`. */
export function roomKey(room: string): string {
  const [of, id] = room.split(':')
  return `room:{${id}}:${of}`
}
