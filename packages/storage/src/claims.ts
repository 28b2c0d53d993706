/**
 * Who is at a ticket. A claim is held under a lease by a token of its own, so that whoever was
 * thought dead cannot end what another has begun since.
 */
import type { Redis } from 'ioredis'
import { type Entered, enterLua, roomKey } from './rooms'

export interface TicketRef {
  readonly worldId: string
  readonly id: string
}

export type TicketState = 'free' | 'busy' | 'used'

/** `lost`: the claim is another's by now, or nobody's. The others are of the room: then nothing was spent. */
export type Spent = 'spent' | 'lost' | Extract<Entered, 'full' | 'unknown'>

export type Claimed =
  | { readonly outcome: 'busy' | 'used' }
  | { readonly outcome: 'claimed'; readonly before: string | null; readonly entered: Entered | null }

/** Room in the ticket's own world. */
export interface Space {
  readonly room: string
  readonly bytes: number
  readonly holds: number
}

/** Longer than a ticket lives. */
const noteMs = 3_600_000

const claim = `${enterLua}
local state = redis.call('GET', KEYS[1])
if not state or state == 'held:' .. ARGV[1] then
  redis.call('SET', KEYS[1], 'held:' .. ARGV[1], 'PX', ARGV[2])
  local entered = KEYS[3] and enter(KEYS[3], ARGV[3], ARGV[4], ARGV[1], ARGV[5], ARGV[2]) or false
  return { 'claimed', redis.call('GET', KEYS[2]), entered }
end
if string.sub(state, 1, 6) == 'spent:' then return { 'used' } end
return { 'busy' }
`

const renew = `
local state = redis.call('GET', KEYS[1])
if state ~= 'held:' .. ARGV[1] and state ~= 'putting:' .. ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`

const putting = `
if redis.call('GET', KEYS[1]) ~= 'held:' .. ARGV[1] then return 'lost' end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[1] then return 'taken' end
redis.call('SET', KEYS[1], 'putting:' .. ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[3], ARGV[4], 'PX', ARGV[3])
return 'putting'
`

const spend = `${enterLua}
local state = redis.call('GET', KEYS[1])
if state == 'spent:' .. ARGV[1] then return 'spent' end
if state ~= 'held:' .. ARGV[1] and state ~= 'putting:' .. ARGV[1] then return 'lost' end
if KEYS[2] then
  local entered = enter(KEYS[2], ARGV[3], ARGV[4], ARGV[1], ARGV[5], 0)
  if entered == 'unknown' or entered == 'full' then return entered end
end
redis.call('SET', KEYS[1], 'spent:' .. ARGV[1], 'PX', ARGV[2])
return 'spent'
`

const release = `
local state = redis.call('GET', KEYS[1])
if state and string.match(state, '^%a+:(.*)$') == ARGV[1] then redis.call('DEL', KEYS[1]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return 1
`

type Arguments = readonly (string | number)[]

interface Commands {
  claimTicket(...args: Arguments): Promise<[Claimed['outcome'], string | null, Entered | null]>
  claimTicketAndRoom: Commands['claimTicket']
  renewClaim(key: string, token: string, leaseMs: number): Promise<number>
  beginPut(
    key: string,
    object: string,
    note: string,
    token: string,
    leaseMs: number,
    noteMs: number,
    at: string,
  ): Promise<'putting' | 'lost' | 'taken'>
  spendTicket(...args: Arguments): Promise<Spent>
  spendTicketAndRoom: Commands['spendTicket']
  releaseClaim(key: string, object: string, token: string): Promise<number>
}

export class Claims {
  readonly #commands: Commands

  constructor(private readonly redis: Redis) {
    // Where to send a command is found out by its first key, which is the first argument only of those whose number of
    // keys is known.
    redis.defineCommand('claimTicket', { numberOfKeys: 2, lua: claim })
    redis.defineCommand('claimTicketAndRoom', { numberOfKeys: 3, lua: claim })
    redis.defineCommand('renewClaim', { numberOfKeys: 1, lua: renew })
    redis.defineCommand('beginPut', { numberOfKeys: 3, lua: putting })
    redis.defineCommand('spendTicket', { numberOfKeys: 1, lua: spend })
    redis.defineCommand('spendTicketAndRoom', { numberOfKeys: 2, lua: spend })
    redis.defineCommand('releaseClaim', { numberOfKeys: 2, lua: release })
    this.#commands = redis as unknown as Commands
  }

  async state(ticket: TicketRef): Promise<TicketState> {
    const state = await this.redis.get(ticketKey(ticket))
    if (state === null) return 'free'
    return state.startsWith('spent:') ? 'used' : 'busy'
  }

  /**
   * `before` is the key that an earlier upload with this ticket was at when it was last heard of. Who
   * claims enters the space, too, where one is given, under the same lease; then `entered` says with what outcome.
   * Told twice by one token it is claimed once.
   */
  async claim(ticket: TicketRef, token: string, leaseMs: number, space: Space | null = null): Promise<Claimed> {
    const [outcome, before = null, entered = null] = await this.#claim(ticket, token, leaseMs, space)
    return outcome === 'claimed' ? { outcome, before, entered } : { outcome }
  }

  #claim(ticket: TicketRef, token: string, leaseMs: number, space: Space | null) {
    const [key, note] = [ticketKey(ticket), noteKey(ticket)]
    if (space === null) return this.#commands.claimTicket(key, note, token, leaseMs)
    const { room, bytes, holds } = space
    return this.#commands.claimTicketAndRoom(key, note, roomKey(room), token, leaseMs, ticket.id, bytes, holds)
  }

  /** False when the claim is another's by now, or nobody's. */
  async renew(ticket: TicketRef, token: string, leaseMs: number): Promise<boolean> {
    return (await this.#commands.renewClaim(ticketKey(ticket), token, leaseMs)) === 1
  }

  /** From now on an object may appear under the key; `taken` when another ticket is at the same key. */
  beginPut(ticket: TicketRef, object: string, token: string, leaseMs: number): Promise<'putting' | 'lost' | 'taken'> {
    const keys = [ticketKey(ticket), objectKey(ticket, object), noteKey(ticket)] as const
    return this.#commands.beginPut(...keys, token, leaseMs, noteMs, object)
  }

  /**
   * Told twice it is spent once. Its entry in the space, where one is given, is kept for good along with it: until
   * somebody gives it back, or this token does.
   */
  spend(ticket: TicketRef, token: string, keepMs: number, space: Space | null = null): Promise<Spent> {
    const key = ticketKey(ticket)
    if (space === null) return this.#commands.spendTicket(key, token, keepMs)
    const { room, bytes, holds } = space
    return this.#commands.spendTicketAndRoom(key, roomKey(room), token, keepMs, ticket.id, bytes, holds)
  }

  /** The ticket is as good as new, also where it was spent by this token a moment ago. */
  async release(ticket: TicketRef, object: string, token: string): Promise<void> {
    await this.#commands.releaseClaim(ticketKey(ticket), objectKey(ticket, object), token)
  }
}

function ticketKey({ worldId, id }: TicketRef): string {
  return `ticket:{${worldId}}:${id}`
}

function noteKey({ worldId, id }: TicketRef): string {
  return `put:{${worldId}}:${id}`
}

function objectKey({ worldId }: TicketRef, object: string): string {
  return `object:{${worldId}}:${object}`
}
