import { idempotencyReuse, RefusalError, unknownKey } from '@worlds/domain/errors'
import { type JsonInput, requestHash } from '@worlds/domain/json-input'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import { type Answer, type ReceiptKey, refused } from '../domain/intent'
import { findReceiptHash } from '../store/receipts'
import { readAuthVersions } from '../store/worlds'
import { scopeOf } from './reply'
import type { Scope } from './scope'

export interface KeyedCall {
  readonly principal: Principal__Output
  /** Idempotency-Key; empty for none. */
  readonly key: string
  /** Tells apart the routes that take a key. */
  readonly route: string
  readonly json: JsonInput
}

/** Runs `work` at most once per Idempotency-Key (write rule 13); without a key, simply runs it. */
export async function onceByKey(
  scope: Scope,
  { principal, key, route, json }: KeyedCall,
  work: (receipt: ReceiptKey | null) => Promise<Answer>,
): Promise<Answer> {
  if (key === '') return work(null)
  const receipt = { scope: scopeOf(principal), key, hash: requestHash(route, json) }
  const answer = await scope.idempotency.run(principal.world_id, receipt, async () => {
    try {
      return await work(receipt)
    } catch (error) {
      // A key used before with another body is told as such, even when this body is bad (A42).
      if (error instanceof RefusalError && (await isOtherRequest(scope, principal.world_id, receipt))) {
        return refused(idempotencyReuse())
      }
      throw error
    }
  })
  // A reply out of Redis has not met the world: a key that was revoked since replays nothing.
  if (answer.kind !== 'body' || !answer.replayed) return answer
  if (!(await isCurrentKey(scope, principal))) return { kind: 'ask-again' }
  return (await isStillIn(scope, principal)) ? answer : refused(unknownKey())
}

async function isCurrentKey({ database }: Scope, principal: Principal__Output): Promise<boolean> {
  const versions = await readAuthVersions(database, [principal.world_id])
  return versions.get(principal.world_id) === principal.auth_version
}

/** A removed member's keys are on their way out, and replay nothing before they are gone. */
async function isStillIn({ readers }: Scope, { world_id: worldId, membership }: Principal__Output): Promise<boolean> {
  if (membership === '') return true
  const reader = await readers.find(worldId, membership)
  return reader !== null && reader.member !== null
}

async function isOtherRequest({ database, config }: Scope, worldId: string, receipt: ReceiptKey): Promise<boolean> {
  const hash = await findReceiptHash(database, worldId, receipt, config.receiptLifeMs)
  return hash !== null && hash !== receipt.hash
}
