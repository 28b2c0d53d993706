import { invalid, RefusalError } from '@worlds/domain/errors'
import { mintSecret } from '@worlds/runtime/secrets'

export type Scope = 'read' | 'write'

const prefixes = { read: 'ow_r_', write: 'ow_w_' } as const satisfies Record<Scope, string>

export function mintKey(scope: Scope): string {
  return mintSecret(prefixes[scope])
}

export function mintToken(): string {
  return mintSecret('ow_a_')
}

export function mintEmailToken(): string {
  return mintSecret('ow_e_')
}

export function mintJoinCode(): string {
  return mintSecret('ow_j_')
}

export function mintSeatSecret(): string {
  return mintSecret('ow_s_')
}

/** What a listing shows of a secret. */
export function last4(secret: string): string {
  return secret.slice(-4)
}

export function readLegacyKey(sent: string): string {
  if (/^[0-9]{10}$/.test(sent)) return sent
  throw new RefusalError(invalid('key', 'A legacy key has ten digits.'))
}

/** 0000000000 to 0000000009 are known to everybody, so they never write. */
export function legacyScope(key: string, readOnly: boolean): Scope {
  return readOnly || key.startsWith('000000000') ? 'read' : 'write'
}
