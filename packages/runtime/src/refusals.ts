/** Refusals on their way between services: the catalogue's codes travel, families and statuses do not. */
import { apiError, isErrorCode, type Refusal, RefusalError } from '@worlds/domain/errors'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
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

/** An answer that may be a refusal instead. */
export interface Refusable {
  refusal?: WireRefusal | null
}

/** The one place where a refusal that was thrown on the way becomes the answer. */
export async function orRefusal<R>(work: () => Promise<R>): Promise<R | { refusal: WireRefusal }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusalError) return { refusal: toWire(error.refusal) }
    throw error
  }
}

/** Of a call that is made for somebody. */
export function principalOf({ principal }: { readonly principal: Principal__Output | null }): Principal__Output {
  if (principal === null) throw new Error('a call without a principal')
  return principal
}
