import { coerceInteger } from '@worlds/domain/coercion'
import { invalid, RefusalError } from '@worlds/domain/errors'
import { type Reader, text } from './body'

/** A daily allowance of AI tokens per account; days are UTC's. */

export interface Allowance {
  /** Used on this UTC day. */
  readonly used: number
  /** Sessions that have used any of it. */
  readonly sessions: number
  /** When the day began, in milliseconds since 1970. */
  readonly dayMs: number
}

export const amount: Reader<number> = (value, field) => {
  const coerced = coerceInteger(field, value)
  if ('refusal' in coerced) throw new RefusalError(coerced.refusal)
  if (typeof coerced.value === 'number' && coerced.value >= 1) return coerced.value
  throw new RefusalError(invalid(field, `${field} must be 1 or more.`))
}

const short = text({ max: 255 })

/** Text that may be left out by null or an empty string too. */
export const label: Reader<string | undefined> = (value, field) =>
  value === null || value === '' ? undefined : short(value, field)

/** Taken for clients that send it; nothing is kept of it. */
export const metadata: Reader<undefined> = (value, field) => {
  if (typeof value === 'object' && !Array.isArray(value)) return undefined
  throw new RefusalError(invalid(field, `${field} must be an object.`))
}

export function allowanceRecord({ used, sessions, dayMs }: Allowance, rating: number) {
  return {
    tokens_available_today: Math.max(0, rating - used),
    token_rating: rating,
    tokens_used_today: used,
    last_reset: new Date(dayMs).toISOString().replace('.000Z', '.000000+00:00'),
    sessions_active: sessions,
  }
}

export function consumedRecord({ used }: Allowance, consumed: number, rating: number) {
  const over = used - rating
  return {
    success: true,
    tokens_consumed: consumed,
    tokens_remaining: Math.max(0, -over),
    token_rating: rating,
    error: over > 0 ? `The allowance of ${rating} tokens a day is exceeded by ${over}.` : null,
  }
}
