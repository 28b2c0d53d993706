/**
 * Who is at a ticket. A claim is held under a lease by a token of its own, so that whoever was
 * thought dead cannot end what another has begun since.
 */
import type { Redis } from 'ioredis'

export interface TicketRef {
  readonly worldId: string
  readonly id: string
}

export type TicketState = 'free' | 'busy' | 'used'

const claim = `
local state = redis.call('GET', KEYS[1])
if not state then
  redis.call('SET', KEYS[1], 'held:' .. ARGV[1], 'PX', ARGV[2])
  return 'claimed'
end
if string.sub(state, 1, 6) == 'spent:' then return 'used' end
return 'busy'
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
return 'putting'
`

const spend = `
local state = redis.call('GET', KEYS[1])
if state ~= 'held:' .. ARGV[1] and state ~= 'putting:' .. ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'spent:' .. ARGV[1], 'PX', ARGV[2])
return 1
`

const release = `
local state = redis.call('GET', KEYS[1])
if state == 'held:' .. ARGV[1] or state == 'putting:' .. ARGV[1] then redis.call('DEL', KEYS[1]) end
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return 1
`

interface Commands {
  claimTicket(key: string, token: string, leaseMs: number): Promise<'claimed' | 'busy' | 'used'>
  renewClaim(key: string, token: string, leaseMs: number): Promise<number>
  beginPut(key: string, object: string, token: string, leaseMs: number): Promise<'putting' | 'lost' | 'taken'>
  spendTicket(key: string, token: string, keepMs: number): Promise<number>
  releaseClaim(key: string, object: string, token: string): Promise<number>
}

export class Claims {
  readonly #commands: Commands

  constructor(private readonly redis: Redis) {
    redis.defineCommand('claimTicket', { numberOfKeys: 1, lua: claim })
    redis.defineCommand('renewClaim', { numberOfKeys: 1, lua: renew })
    redis.defineCommand('beginPut', { numberOfKeys: 2, lua: putting })
    redis.defineCommand('spendTicket', { numberOfKeys: 1, lua: spend })
    redis.defineCommand('releaseClaim', { numberOfKeys: 2, lua: release })
    this.#commands = redis as unknown as Commands
  }

  async state(ticket: TicketRef): Promise<TicketState> {
    const state = await this.redis.get(ticketKey(ticket))
    if (state === null) return 'free'
    return state.startsWith('spent:') ? 'used' : 'busy'
  }

  claim(ticket: TicketRef, token: string, leaseMs: number): Promise<'claimed' | 'busy' | 'used'> {
    return this.#commands.claimTicket(ticketKey(ticket), token, leaseMs)
  }

  /** False when the claim is another's by now, or nobody's. */
  async renew(ticket: TicketRef, token: string, leaseMs: number): Promise<boolean> {
    return (await this.#commands.renewClaim(ticketKey(ticket), token, leaseMs)) === 1
  }

  /** From now on an object may appear under the key; `taken` when another ticket is at the same key. */
  beginPut(ticket: TicketRef, object: string, token: string, leaseMs: number): Promise<'putting' | 'lost' | 'taken'> {
    return this.#commands.beginPut(ticketKey(ticket), objectKey(ticket, object), token, leaseMs)
  }

  /** False when the claim was lost on the way. */
  async spend(ticket: TicketRef, token: string, keepMs: number): Promise<boolean> {
    return (await this.#commands.spendTicket(ticketKey(ticket), token, keepMs)) === 1
  }

  async release(ticket: TicketRef, object: string, token: string): Promise<void> {
    await this.#commands.releaseClaim(ticketKey(ticket), objectKey(ticket, object), token)
  }
}

function ticketKey({ worldId, id }: TicketRef): string {
  return `ticket:{${worldId}}:${id}`
}

function objectKey({ worldId }: TicketRef, object: string): string {
  return `object:{${worldId}}:${object}`
}
