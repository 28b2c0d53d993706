import type { Reply__Output } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { fromWire } from '@worlds/runtime/refusals'
import { type Answer, refuse } from '../http/answer'

/** An RPC's reply as the route's answer. */
export function toAnswer(reply: Reply__Output): Answer {
  if (reply.refusal !== undefined && reply.refusal !== null) return refuse(fromWire(reply.refusal))
  if (reply.ask_again) return { kind: 'ask-again' }
  const headers = {
    ...(reply.etag === '' ? {} : { etag: reply.etag }),
    ...(reply.replayed ? { 'idempotent-replay': 'true' } : {}),
  }
  const hasBody = reply.status !== 204 && reply.status !== 304
  return { kind: 'reply', status: reply.status, body: hasBody ? [reply.body ?? Buffer.alloc(0)] : null, headers }
}
