/**
 * A member's key is stored under a digest that a process of the version before members does not
 * look for: it would take every key for the owner's.
 */
const prefix = 'member:'

export function storedDigest(digest: string, membership: string | null): string {
  return membership === null ? digest : `${prefix}${digest}`
}

/** All that a key with one of these digests may be stored under. */
export function storedDigests(digests: readonly string[]): string[] {
  return digests.flatMap((digest) => [digest, `${prefix}${digest}`])
}
