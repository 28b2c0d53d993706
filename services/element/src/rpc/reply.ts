import { RefusalError } from '@worlds/domain/errors'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Refusal as WireRefusal } from '@worlds/proto/generated/worlds/common/v1/Refusal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { toWire } from '@worlds/runtime/refusals'
import type { Actor, Answer } from '../domain/intent'

/** Runs one request of which every answer is a reply. */
export function reply(work: () => Promise<Answer>): Promise<Reply> {
  return orRefusal(async () => toReply(await work()))
}

/** Runs one request; a refusal that was thrown on the way becomes the answer. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | { refusal: WireRefusal }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: toWire(error.refusal) }
    throw error
  }
}

function toReply(answer: Answer): Reply {
  switch (answer.kind) {
    case 'body':
      return {
        body: Buffer.from(answer.body),
        status: answer.status,
        replayed: answer.replayed ?? false,
        etag: answer.etag ?? '',
      }
    case 'refusal':
      return { refusal: toWire(answer.refusal) }
    case 'ask-again':
      return { ask_again: true }
  }
}

export function principalOf(request: { principal: Principal__Output | null }): Principal__Output {
  if (request.principal === null) throw new Error('a call without a principal')
  return request.principal
}

export function actorOf(principal: Principal__Output): Actor {
  return { membership: principal.membership === '' ? null : principal.membership, authVersion: principal.auth_version }
}

/** Whose keys share idempotency keys: the owner's, or one membership's (A41). */
export function scopeOf(principal: Principal__Output): string {
  return principal.membership === '' ? 'owner' : principal.membership
}

/** Whether what a read found was found for a principal that is still current. */
export function isCurrent(principal: Principal__Output, found: { authVersion: number | null }): boolean {
  return found.authVersion === principal.auth_version
}
