import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from '@worlds/domain/cursor'
import { invalid, type Refusal, resyncRequired } from '@worlds/domain/errors'
import type { ChangesPart } from '@worlds/proto/generated/worlds/changefeed/v1/ChangesPart'
import type { GetChangesRequest__Output } from '@worlds/proto/generated/worlds/changefeed/v1/GetChangesRequest'
import { chunksOf } from '@worlds/runtime/chunks'
import type { Database } from '@worlds/runtime/postgres'
import { type Changes, readChanges } from '../store/read-changes'

/** `GET /api/v2/changes` (L251 to L270; A6, A7, A12, B2). */
export const getChanges =
  (database: Database) =>
  async (request: GetChangesRequest__Output): Promise<ChangesPart[]> => {
    const { principal, since, head, limit } = request
    if (principal === null) throw new Error('a call without a principal')
    const cursor = head ? null : readSince(since, principal.world_id)
    if (cursor === 'bad') return refuse(invalid('since', 'since takes a cursor that a reply gave, or 0.'))

    const found = await readChanges(database, principal.world_id, cursor?.seq ?? 0, head ? 0 : limit)
    if (found.authVersion !== principal.auth_version) return [{ ask_again: true }]
    // Answered before all else: the world was restored, and the client sees it by the lower head.
    if (cursor !== null && cursor.seq > found.head) return page(found, since, [])
    const stale = cursor === null ? null : staleness(cursor, found)
    if (stale !== null) return refuse(stale)
    return page(found, nextCursor(found, principal.world_id), found.records)
  }

/** Null for the beginning; `bad` for what never was a cursor of this world. */
function readSince(since: string, worldId: string): FeedCursor | null | 'bad' {
  if (since === '' || since === '0') return null
  const cursor = decodeFeedCursor(since)
  return cursor === null || cursor.worldId !== worldId ? 'bad' : cursor
}

/** Why a cursor no longer continues what it once did: the caller's role changed, or the world's timeline. */
function staleness(cursor: FeedCursor, { timeline }: Changes): Refusal | null {
  if (cursor.view !== null) return resyncRequired('role')
  return cursor.timeline === timeline ? null : resyncRequired('view')
}

/** After the last page a follower stands at the head, so that nobody is behind for ever. */
function nextCursor({ hasMore, last, head, timeline }: Changes, worldId: string): string {
  const at = hasMore && last !== null ? last : { seq: head, id: '' }
  return encodeFeedCursor({ worldId, timeline, ...at, view: null })
}

function page({ hasMore, head }: Changes, cursor: string, records: readonly string[]): ChangesPart[] {
  const facts = { cursor, has_more: hasMore && records.length > 0, head, epoch: 0, epoch_reason: '' }
  return chunksOf(records).map((chunk, index) => (index === 0 ? { page: facts, records: chunk } : { records: chunk }))
}

function refuse({ code, message, param, reason }: Refusal): ChangesPart[] {
  return [{ refusal: { code, message, param: param ?? '', reason: reason ?? '' } }]
}
