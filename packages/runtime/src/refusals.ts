/** Refusals on their way between services: the catalogue's codes travel, families and statuses do not. */
import { apiError, isErrorCode, type Refusal } from '@worlds/domain/errors'
import type { Refusal__Output, Refusal as WireRefusal } from '@worlds/proto/generated/worlds/common/v1/Refusal'

export function toWire(refusal: Refusal): WireRefusal {
  return {
    code: refusal.code,
    message: refusal.message,
    param: refusal.param ?? '',
    reason: refusal.reason ?? '',
    current: refusal.current === undefined ? Buffer.alloc(0) : Buffer.from(refusal.current),
    retry_after_s: refusal.retryAfterS ?? 0,
  }
}

export function fromWire({ code, message, param, reason, current, retry_after_s }: Refusal__Output): Refusal {
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
