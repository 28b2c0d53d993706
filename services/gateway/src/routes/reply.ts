import { apiError, isErrorCode, type Refusal } from '@worlds/domain/errors'
import type { Refusal__Output, Refusal as WireRefusal } from '@worlds/proto/generated/worlds/common/v1/Refusal'
import type { Reply__Output } from '@worlds/proto/generated/worlds/common/v1/Reply'
import { type Answer, refuse } from '../http/answer'

/** An RPC's reply as the route's answer. */
export function toAnswer(reply: Reply__Output): Answer {
  if (reply.refusal !== undefined && reply.refusal !== null) return refuse(toRefusal(reply.refusal))
  if (reply.ask_again) return { kind: 'ask-again' }
  const headers = {
    ...(reply.etag === '' ? {} : { etag: reply.etag }),
    ...(reply.replayed ? { 'idempotent-replay': 'true' } : {}),
  }
  const hasBody = reply.status !== 204 && reply.status !== 304
  return { kind: 'reply', status: reply.status, body: hasBody ? [reply.body ?? Buffer.alloc(0)] : null, headers }
}

export function toWire({ code, message, param }: Refusal): WireRefusal {
  return { code, message, param: param ?? '' }
}

export function toRefusal({ code, message, param, reason, current, retry_after_s }: Refusal__Output): Refusal {
  if (!isErrorCode(code)) return apiError()
  return {
    code,
    message,
    param: param === '' ? null : param,
    ...(reason === 'role' || reason === 'view' ? { reason } : {}),
    ...(current.length === 0 ? {} : { current: current.toString() }),
    ...(retry_after_s === 0 ? {} : { retryAfterS: retry_after_s }),
  }
}
