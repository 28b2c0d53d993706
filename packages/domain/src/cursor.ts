/**
 * Cursors: opaque to clients, versioned, and bound to what they continue. A check sum tells a
 * cursor of ours from one that was altered or never was one; it protects nothing secret.
 */
import { createHash } from 'node:crypto'
import { isStorable } from './json-input'
import { readUuid } from './uuid'
import { searchWays } from './words'

function seal(kind: string, parts: readonly (string | number)[]): string {
  const text = [kind, ...parts].join('|')
  return Buffer.from(`${checksum(text)}${text}`).toString('base64url')
}

function open(kind: string, cursor: string, longest = 1_000): string[] | null {
  if (cursor.length > longest || !/^[\w-]+$/.test(cursor)) return null
  const decoded = Buffer.from(cursor, 'base64url')
  if (decoded.toString('base64url') !== cursor) return null
  const sealed = decoded.toString('utf8')
  const text = sealed.slice(8)
  if (sealed.slice(0, 8) !== checksum(text)) return null
  const [found, ...parts] = text.split('|')
  return found === kind ? parts : null
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}

/** What a list cursor continues: a world, a category and its filters. */
export interface ListScope {
  readonly worldId: string
  readonly type: string
  readonly filters: readonly (readonly [name: string, value: string])[]
}

export function encodeListCursor(scope: ListScope, after: number): string {
  return seal('l1', [scopeHash(scope), after])
}

/** Place to go on after; null when the cursor was not given for this scope. */
export function decodeListCursor(scope: ListScope, cursor: string): number | null {
  const parts = open('l1', cursor)
  return parts !== null && parts[0] === scopeHash(scope) ? readPlace(parts[1]) : null
}

function scopeHash({ worldId, type, filters }: ListScope): string {
  const sorted = [...filters].sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([worldId, type, sorted]))
    .digest('base64url')
    .slice(0, 16)
}

/** What a search's cursor continues. */
export interface SearchScope {
  readonly worldId: string
  /** The text that is looked for, trimmed. */
  readonly q: string
  /** Categories that are looked in; none for all. */
  readonly types: readonly string[]
  /** Whose eyes it reads with; empty for one's own. */
  readonly as: string
}

/** The last hit of a page: how it matched, and where it stands among those that match alike. */
export interface SearchPlace {
  readonly rank: number
  readonly foldedName: string
  readonly id: string
}

/** A name of 255 characters, sealed. */
const longestSearchCursor = 4_000

export function encodeSearchCursor(scope: SearchScope, { rank, foldedName, id }: SearchPlace): string {
  return seal('s1', [searchHash(scope), rank, id, Buffer.from(foldedName).toString('base64url')])
}

/** Null when the cursor was not given for this scope. */
export function decodeSearchCursor(scope: SearchScope, cursor: string): SearchPlace | null {
  const parts = open('s1', cursor, longestSearchCursor)
  if (parts === null || parts[0] !== searchHash(scope)) return null
  const [, rank, id = '', name = ''] = parts
  const place = readPlace(rank)
  const foldedName = Buffer.from(name, 'base64url').toString()
  const isFit = place !== null && place < searchWays(scope.q) && readUuid(id) === id && isStorable(foldedName)
  return isFit ? { rank: place, id, foldedName } : null
}

function searchHash({ worldId, q, types, as }: SearchScope): string {
  return createHash('sha256')
    .update(JSON.stringify([worldId, q, [...types].sort(), as]))
    .digest('base64url')
    .slice(0, 16)
}

/** Where a follower stands. Two visible parts for who sees everything, three for all others (CF-028 to CF-033). */
export interface FeedCursor {
  readonly worldId: string
  /** Changes when a world is restored from a backup (D43). */
  readonly timeline: number
  readonly seq: number
  /** Id at that place; empty when the place is the world's head. */
  readonly id: string
  /** The third part: the view that the follower has, and whose. */
  readonly view: { readonly epoch: number; readonly membership: string } | null
}

export function encodeFeedCursor(cursor: FeedCursor): string {
  const { worldId, timeline, seq, id, view } = cursor
  const third = view === null ? [] : [view.epoch, view.membership]
  return seal('f1', [worldId, timeline, seq, id, ...third])
}

/** Null for what never was a feed cursor. */
export function decodeFeedCursor(text: string): FeedCursor | null {
  const parts = open('f1', text)
  if (parts === null || (parts.length !== 4 && parts.length !== 6)) return null
  const [worldId = '', timeline, seq, id = '', epoch, membership = ''] = parts
  const place = readPlace(seq)
  const era = readPlace(timeline)
  const viewEpoch = epoch === undefined ? 0 : readPlace(epoch)
  if (place === null || era === null || viewEpoch === null) return null
  return { worldId, timeline: era, seq: place, id, view: epoch === undefined ? null : { epoch: viewEpoch, membership } }
}

/** A cursor that somebody else made may hold anything. */
function readPlace(text: string | undefined): number | null {
  const place = text !== undefined && /^\d+$/.test(text) ? Number(text) : null
  return Number.isSafeInteger(place) ? place : null
}
