import { decodeFeedCursor, encodeFeedCursor, type FeedCursor } from '@worlds/domain/cursor'
import { invalid, type Refusal, resyncRequired, unknownKey } from '@worlds/domain/errors'
import type { ChangesPart } from '@worlds/proto/generated/worlds/changefeed/v1/ChangesPart'
import type { GetChangesRequest__Output } from '@worlds/proto/generated/worlds/changefeed/v1/GetChangesRequest'
import type { Principal__Output } from '@worlds/proto/generated/worlds/common/v1/Principal'
import type { ByteBudget } from '@worlds/runtime/byte-budget'
import { chunksOf } from '@worlds/runtime/chunks'
import type { CallContext } from '@worlds/runtime/operation'
import { pageBytes } from '@worlds/runtime/page'
import { principalOf, toWire } from '@worlds/runtime/refusals'
import type { PageSizes } from '@worlds/views/page-size'
import { ownerReader, type Reader, type Readers } from '@worlds/views/reader'
import type { FeedSource } from '../store/feed-source'
import type { Changes, Epoch } from '../store/read-changes'

export interface Scope {
  readonly source: FeedSource
  readonly readers: Readers
  /** Bytes that pages take of the process at once. */
  readonly memory: ByteBudget
  readonly pageSizes: PageSizes
}

/** Who follows, in a view that does not see everything: its cursors have a third part (CF-031 to CF-033). */
interface Follower {
  readonly membership: string
  readonly epoch: Epoch
}

/** `GET /api/v2/changes` (L251 to L270; A4 to A7, A12, B2, B11). */
export const getChanges =
  (scope: Scope) =>
  async (request: GetChangesRequest__Output, context: CallContext): Promise<ChangesPart[]> => {
    const { since, head } = request
    const limit = head ? 0 : request.limit
    const principal = principalOf(request)
    const worldId = principal.world_id
    const cursor = head ? null : readSince(since, worldId)
    if (cursor === 'bad') return refuse(invalid('since', 'since takes a cursor that a reply gave, or 0.'))

    const lease = await context.reserve(scope.memory, limit === 0 ? 0 : scope.pageSizes.expect(worldId, limit + 1))
    const found = await read(scope, principal, cursor?.seq ?? 0, limit, request.page_bytes || pageBytes)
    // Its keys are on their way out.
    if (found === null) return refuse(unknownKey())
    scope.pageSizes.learn(worldId, found.largest)
    const bytes = found.records.reduce((sum, { length }) => sum + length, 0)
    lease.resize(bytes)
    if (found.authVersion !== principal.auth_version) return [{ ask_again: true }]
    const follower = followerOf(found)
    // Answered before all else: the world was restored, and the client sees it by the lower head.
    if (cursor !== null && cursor.seq > found.head) return page(found, follower, since, [])
    const stale = cursor === null ? null : staleness(cursor, found, follower)
    if (stale !== null) return refuse(stale)
    return page(found, follower, nextCursor(found, follower, worldId), found.records)
  }

type Read = Changes & { readonly reader: Reader }

async function read(
  { source, readers }: Scope,
  { world_id: worldId, membership }: Principal__Output,
  after: number,
  limit: number,
  bytes: number,
): Promise<Read | null> {
  const readAs = async (reader: Reader) => ({ ...(await source.read(worldId, reader, after, limit, bytes)), reader })
  return membership === '' ? readAs(ownerReader) : readers.asMember(worldId, membership, readAs)
}

function followerOf({ reader: { member }, epoch }: Read): Follower | null {
  return member === null || epoch === null || member.role === 'co_builder' ? null : { membership: member.id, epoch }
}

/** Null for the beginning; `bad` for what never was a cursor of this world. */
function readSince(since: string, worldId: string): FeedCursor | null | 'bad' {
  if (since === '' || since === '0') return null
  const cursor = decodeFeedCursor(since)
  return cursor === null || cursor.worldId !== worldId ? 'bad' : cursor
}

/** Why a cursor no longer continues what it once did; a change of the role is told before all others (L269). */
function staleness({ view, timeline }: FeedCursor, found: Changes, follower: Follower | null): Refusal | null {
  if ((view === null) !== (follower === null)) return resyncRequired('role')
  if (view !== null && follower !== null) {
    const { membership, epoch } = follower
    if (view.membership !== membership) return resyncRequired('view')
    if (view.epoch < epoch.lastRole) return resyncRequired('role')
    if (view.epoch !== epoch.count) return resyncRequired('view')
  }
  return timeline === found.timeline ? null : resyncRequired('view')
}

/** After the last page a follower stands at the head, so that nobody is behind for ever. */
function nextCursor({ hasMore, last, head, timeline }: Changes, follower: Follower | null, worldId: string): string {
  const at = hasMore && last !== null ? last : { seq: head, id: '' }
  const view = follower && { epoch: follower.epoch.count, membership: follower.membership }
  return encodeFeedCursor({ worldId, timeline, ...at, view })
}

function page({ hasMore, head }: Changes, follower: Follower | null, cursor: string, records: readonly string[]) {
  const { count = 0, reason = null } = follower?.epoch ?? {}
  const chunks = chunksOf(records)
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  const facts = {
    ...{ cursor, has_more: hasMore && records.length > 0, head, bytes },
    ...{ epoch: count, epoch_reason: reason ?? '' },
  }
  return chunks.map((chunk, index): ChangesPart => (index === 0 ? { page: facts, records: chunk } : { records: chunk }))
}

function refuse(refusal: Refusal): ChangesPart[] {
  return [{ refusal: toWire(refusal) }]
}
