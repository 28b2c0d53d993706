import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { orRefusal, toWire } from '@worlds/runtime/refusals'
import type { Actor, Answer } from '../domain/intent'

/** Runs one request of which every answer is a reply. */
export function reply(work: () => Promise<Answer>): Promise<Reply> {
  return orRefusal(async () => toReply(await work()))
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
