/** The rows of /api/v2/account, from what the store and element know. Timestamps come as the API shows them. */

export interface Account {
  readonly id: string
  readonly name: string
  readonly pinDigest: string | null
  readonly createdAt: string
}

export interface AccountEmail {
  readonly email: string
  readonly verified: boolean
}

/** Bytes that an account's images take and may take. */
export interface ImageBytes {
  readonly used: number
  readonly cap: number
}

export interface Token {
  readonly id: string
  readonly name: string
  readonly last4: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export interface Key extends Token {
  readonly scope: string
  readonly membership: string | null
  readonly revoked: boolean
}

export interface Watched {
  readonly id: string
  readonly worldId: string
  /** As last seen while the key worked. */
  readonly worldName: string
  readonly last4: string
  readonly addedAt: string
  /** The key does not work any longer. */
  readonly stale: boolean
}

export interface World {
  readonly id: string
  readonly publicRead: boolean
}

/** What element knows of a world. */
export interface WorldFacts {
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
}

export function accountRecord(account: Account, emails: readonly AccountEmail[], images: ImageBytes) {
  return {
    id: account.id,
    name: account.name,
    emails,
    has_pin: account.pinDigest !== null,
    image_bytes_used: images.used,
    image_bytes_cap: images.cap,
    created_at: account.createdAt,
  }
}

export function tokenRow(token: Token) {
  return {
    id: token.id,
    name: token.name,
    last4: token.last4,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
  }
}

export function keyRow(key: Key) {
  return {
    id: key.id,
    name: key.name,
    last4: key.last4,
    scope: key.scope.toUpperCase(),
    membership: key.membership,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked: key.revoked,
  }
}

export function watchedRow(watched: Watched) {
  return {
    id: watched.id,
    world: { id: watched.worldId, name: watched.worldName },
    last4: watched.last4,
    added_at: watched.addedAt,
    stale: watched.stale,
  }
}

export function ownedWorldRow(world: World, facts: WorldFacts) {
  return worldRow(world, facts, { role: 'owner', kind: 'owner', membership: null })
}

export function sharedWorldRow(world: World, facts: WorldFacts, membership: string, role: string) {
  return worldRow(world, facts, { role, kind: 'person', membership })
}

function worldRow(world: World, facts: WorldFacts, as: { role: string; kind: string; membership: string | null }) {
  return {
    id: world.id,
    name: facts.name,
    ...as,
    public_read: world.publicRead,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
  }
}

/** Oldest first by the times shown. A world that element does not know is on its way in or out and is left out. */
export function ownedWorldRows(worlds: readonly World[], facts: ReadonlyMap<string, WorldFacts>) {
  return worlds
    .flatMap((world) => {
      const known = facts.get(world.id)
      return known === undefined ? [] : [ownedWorldRow(world, known)]
    })
    .sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
