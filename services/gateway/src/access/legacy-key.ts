import type { Refusal } from '@worlds/domain/errors'

/** A key of ten digits, as the first version of the service gave them out: few enough to be guessed. */
export function isTenDigitKey(key: string): boolean {
  return /^[0-9]{10}$/.test(key)
}

/** The ten demo keys are public, so a PIN sent with one is never compared: anybody could guess at it, and lock it. */
export function isDemoKey(key: string | undefined): boolean {
  return key !== undefined && /^000000000[0-9]$/.test(key)
}

export const demoKeyWithPin = (): Refusal => ({
  code: 'invalid_credentials',
  message: 'A demo key takes no PIN: it reads public worlds only.',
  param: null,
})
