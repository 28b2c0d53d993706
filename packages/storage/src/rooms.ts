/**
 * Rooms: what the files of a world, or the images of an account, take and may take. One hash a
 * room, with an entry per file, so that to enter, keep and leave are idempotent; its sum never goes
 * over what the room holds. A room that Redis has lost is nobody's to enter until the file service
 * has filled it again from its rows.
 */
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
local function enter(room, id, bytes, holder, holds)
  if redis.call('HEXISTS', room, 'complete') == 0 then return 'unknown' end
  local entry = redis.call('HGET', room, id)
  if entry and string.match(entry, ':kept$') then return 'kept' end
  local total = tonumber(redis.call('HGET', room, 'total')) or 0
  if total - bytesOf(entry) + bytes > tonumber(holds) then return 'full' end
  put(room, id, bytes, holder)
  redis.call('EXPIRE', room, ${keepS})
  return 'entered'
end
`

const enter = `${enterLua}
return enter(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
`

const keep = `${shared}
if redis.call('HEXISTS', KEYS[1], 'complete') == 0 then return 0 end
put(KEYS[1], ARGV[1], ARGV[2], 'kept')
redis.call('EXPIRE', KEYS[1], ${keepS})
return 1
`

const leave = `${shared}
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or (ARGV[2] ~= '' and entry ~= bytesOf(entry) .. ':' .. ARGV[2]) then return 0 end
redis.call('HINCRBY', KEYS[1], 'total', -bytesOf(entry))
return redis.call('HDEL', KEYS[1], ARGV[1])
`

const fill = `${shared}
if redis.call('HEXISTS', KEYS[1], 'complete') == 1 then return 0 end
redis.call('DEL', KEYS[1])
for index = 1, #ARGV, 2 do put(KEYS[1], ARGV[index], ARGV[index + 1], 'kept') end
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

interface Commands {
  enterRoom(key: string, id: string, bytes: number, token: string, holds: number): Promise<Entered>
  keepInRoom(key: string, id: string, bytes: number): Promise<number>
  leaveRoom(key: string, id: string, token: string): Promise<number>
  fillRoom(key: string, ...entries: (string | number)[]): Promise<number>
}

export class Rooms {
  readonly #commands: Commands

  constructor(private readonly redis: Redis) {
    redis.defineCommand('enterRoom', { numberOfKeys: 1, lua: enter })
    redis.defineCommand('keepInRoom', { numberOfKeys: 1, lua: keep })
    redis.defineCommand('leaveRoom', { numberOfKeys: 1, lua: leave })
    redis.defineCommand('fillRoom', { numberOfKeys: 1, lua: fill })
    this.#commands = redis as unknown as Commands
  }

  /** Whether the room's books are there; they are kept on for a while. */
  async isComplete(room: string): Promise<boolean> {
    const [[, complete] = [], [, expires] = []] =
      (await this.redis.multi().hexists(roomKey(room), 'complete').expire(roomKey(room), keepS).exec()) ?? []
    return complete === 1 && expires === 1
  }

  enter(room: string, id: string, bytes: number, token: string, holds: number): Promise<Entered> {
    return this.#commands.enterRoom(roomKey(room), id, bytes, token, holds)
  }

  /** The entry stays whoever made it, and is made if it was not. */
  async keep(room: string, id: string, bytes: number): Promise<void> {
    await this.#commands.keepInRoom(roomKey(room), id, bytes)
  }

  /** Gives an entry back; with a token only that token's own, which nobody has kept since. */
  async leave(room: string, id: string, token = ''): Promise<void> {
    await this.#commands.leaveRoom(roomKey(room), id, token)
  }

  /** Makes the books of a room anew, unless they are there. */
  async fill(room: string, entries: readonly { readonly id: string; readonly bytes: number }[]): Promise<void> {
    await this.#commands.fillRoom(roomKey(room), ...entries.flatMap(({ id, bytes }) => [id, bytes]))
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
