import { invalid, missingPin, type Refusal, RefusalError, wrongPin } from '@worlds/domain/errors'
import { readUuid } from '@worlds/domain/uuid'
import type { Reader } from './body'

/** A PIN to set: 1000 to 9999, as string or number. */
export const newPin: Reader<string> = (value, field) => {
  const pin = typeof value === 'number' ? String(value) : value
  if (typeof pin === 'string' && /^[1-9][0-9]{3}$/.test(pin)) return pin
  throw new RefusalError(invalid(field, 'A PIN is a number from 1000 to 9999.'))
}

/**
 * A PIN sent as proof. It may be malformed: that is a wrong guess, and counts as one. Null and the empty string
 * are no guess.
 */
export const currentPin: Reader<string | undefined> = (value, field) => {
  if (value === null || value === '') return undefined
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new RefusalError(invalid(field, `${field} must be a PIN.`))
}

/** Who a PIN of an account belongs to, for its digest and for the count of wrong guesses. */
export function accountPinHolder(accountId: string): string {
  return `account:${accountId}`
}

/** Who a seat's secret belongs to. */
export function seatPinHolder(membership: string): string {
  return `seat:${membership}`
}

/** The account or the seat that a holder names. Throws for anything else. */
export function readPinHolder(holder: string): { accountId: string | null; membership: string | null } {
  const [kind, id = ''] = holder.split(':')
  const known = readUuid(id)
  if (known === null || (kind !== 'account' && kind !== 'seat')) throw new Error(`not a PIN holder: ${holder}`)
  return kind === 'account' ? { accountId: known, membership: null } : { accountId: null, membership: known }
}

export const missingCurrentPin = (): Refusal => ({
  ...missingPin(),
  message: 'The current PIN is missing: send it as current_pin.',
  param: 'current_pin',
})

export const wrongCurrentPin = (): Refusal => ({ ...wrongPin(), param: 'current_pin' })
