import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Keys, tokens, PINs and seat secrets are stored as HMAC-SHA-256 digests with a pepper that only
 * the servers know. A digest names its pepper, so that peppers can be replaced one after another:
 * the first mints, all are honoured.
 */
export interface Pepper {
  readonly id: string
  readonly secret: string
}

/** Reads `id:secret[,id:secret]`; the first is the current one. */
export function readPeppers(items: readonly string[]): Pepper[] {
  return items.map((item) => {
    const colon = item.indexOf(':')
    if (colon < 1 || item.length - colon < 33)
      throw new Error('a list of secrets is written id:secret[,id:secret], each secret of 32 characters or more')
    return { id: item.slice(0, colon), secret: item.slice(colon + 1) }
  })
}

function digestWith(pepper: Pepper, text: string): string {
  return `${pepper.id}:${createHmac('sha256', pepper.secret).update(text).digest('base64url')}`
}

export function digest(peppers: readonly Pepper[], text: string): string {
  const [current] = peppers
  if (current === undefined) throw new Error('no pepper is configured')
  return digestWith(current, text)
}

/** A digest per honoured pepper, the current one first. */
export function digests(peppers: readonly Pepper[], text: string): string[] {
  return peppers.map((pepper) => digestWith(pepper, text))
}

/** Compares in constant time; `stored` may name any honoured pepper. */
export function matchesDigest(peppers: readonly Pepper[], text: string, stored: string): boolean {
  const pepper = peppers.find(({ id }) => stored.startsWith(`${id}:`))
  if (pepper === undefined) return false
  const expected = Buffer.from(stored)
  const actual = Buffer.from(digestWith(pepper, text))
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** What a PIN is digested with: equal PINs of two holders have different digests. */
export function pinText(holder: string, pin: string): string {
  return `pin:${holder}:${pin}`
}

/** A new secret of 256 random bits behind a prefix such as `ow_w_`. */
export function mintSecret(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url')
}
