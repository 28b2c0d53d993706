/**
 * Lets one of several identical keyed requests run while the others wait for its reply. The receipt that is committed
 * with the write decides; the record in Redis only avoids the race, so without Redis every request runs and the
 * receipts alone give exactly once.
 *
 * A record has a bounded size and a short life, because a client chooses how many there are: a large reply is replayed
 * from its receipt, and after the record has expired so is every reply.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { idempotencyReuse, serverBusy } from '@worlds/domain/errors'
import { forgetKeys } from '@worlds/runtime/forget-keys'
import type { Log } from '@worlds/runtime/log'
import type { Redis } from 'ioredis'
import { uuidv7 } from 'uuidv7'
import type { StoredReceipt } from './domain/facts'
import { type Answer, type ReceiptKey, refused } from './domain/intent'

/** Bytes of the largest reply that Redis keeps: with hash and status it fills one allocation of 16 KiB. */
export const largestKeptReply = 16_000

const claim = `
local record = redis.call('GET', KEYS[1])
if record then return record end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''
`

/**
 * Replaces or deletes the record, as long as it is still the claim that was made. A Redis that is full refuses the SET
 * but not the DEL, without which a retry would wait for the claim to expire.
 */
const settle = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' and not redis.pcall('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]).err then return 1 end
return redis.call('DEL', KEYS[1])
`

const renew = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
`

export interface IdempotencyConfig {
  readonly leaseMs: number
  readonly waitMs: number
  /** How long Redis keeps a record. */
  readonly recordMs: number
}

/** Reads the reply that was committed with a keyed write; null when its receipt has expired. */
export type FindReceipt = (worldId: string, receipt: ReceiptKey) => Promise<StoredReceipt | null>

interface Scripts {
  readonly idempotencyClaim: Script
  readonly idempotencySettle: Script
  readonly idempotencyRenew: Script
}

type Script = (key: string, ...args: (string | number)[]) => Promise<unknown>

export class Idempotency {
  readonly #scripts: Scripts

  constructor(
    private readonly redis: Redis,
    private readonly findReceipt: FindReceipt,
    private readonly config: IdempotencyConfig,
    private readonly log: Log,
  ) {
    redis.defineCommand('idempotencyClaim', { numberOfKeys: 1, lua: claim })
    redis.defineCommand('idempotencySettle', { numberOfKeys: 1, lua: settle })
    redis.defineCommand('idempotencyRenew', { numberOfKeys: 1, lua: renew })
    this.#scripts = redis as unknown as Scripts
  }

  /** Of one world, or of all. */
  async forget(worldId: string | null): Promise<void> {
    await forgetKeys(this.redis, worldId === null ? 'idempotency:' : `idempotency:{${worldId}}:`)
  }

  async run(worldId: string, receipt: ReceiptKey, work: () => Promise<Answer>): Promise<Answer> {
    const key = `idempotency:{${worldId}}:${receipt.scope}:${receipt.key}`
    const token = `lock ${receipt.hash} ${uuidv7()}`
    const deadline = Date.now() + this.config.waitMs
    for (let pause = 5; ; pause = Math.min(pause * 2, 100)) {
      const record = await this.#claim(key, token)
      if (record === null) return work()
      if (record === '') return this.#hold(key, token, receipt, work)
      const [kind, hash, status, body = ''] = split(record)
      if (hash !== receipt.hash) return refused(idempotencyReuse())
      if (kind === 'done') return { kind: 'body', status: Number(status), body, replayed: true }
      if (kind === 'receipt') return this.#replayReceipt(worldId, receipt, work)
      if (Date.now() + pause > deadline) return refused(serverBusy())
      await sleep(pause)
    }
  }

  async #replayReceipt(worldId: string, receipt: ReceiptKey, work: () => Promise<Answer>): Promise<Answer> {
    const stored = await this.findReceipt(worldId, receipt)
    if (stored === null) return work()
    return { kind: 'body', status: stored.status, body: stored.reply, replayed: true }
  }

  /** The record that stands; empty when the claim was made, null when Redis is away. */
  async #claim(key: string, token: string): Promise<string | null> {
    try {
      return String(await this.#scripts.idempotencyClaim(key, token, this.config.leaseMs))
    } catch (error) {
      this.log.warn({ err: error }, 'idempotency goes on with receipts alone')
      return null
    }
  }

  async #hold(key: string, token: string, { hash }: ReceiptKey, work: () => Promise<Answer>): Promise<Answer> {
    const timer = setInterval(() => {
      this.#scripts.idempotencyRenew(key, token, this.config.leaseMs).catch(() => {})
    }, this.config.leaseMs / 3)
    let record = ''
    try {
      const answer = await work()
      if (answer.kind === 'body') record = recordOf(hash, answer)
      return answer
    } finally {
      clearInterval(timer)
      await this.#scripts.idempotencySettle(key, token, record, this.config.recordMs).catch(() => {})
    }
  }
}

function recordOf(hash: string, { status, body }: Extract<Answer, { kind: 'body' }>): string {
  return Buffer.byteLength(body) > largestKeptReply ? `receipt ${hash}` : `done ${hash} ${status} ${body}`
}

/** Three words and the rest, which may hold spaces. */
function split(record: string): string[] {
  const parts = record.split(' ', 3)
  return [...parts, record.slice(parts.join(' ').length + 1)]
}
