/**
 * Where a page is read. A replica serves it only when its own snapshot is at least as far as the
 * primary was when the poll came: so a head never falls from one poll to the next, and what was
 * hidden, revoked or deleted is never shown again, however far the replica is behind.
 */
import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import type { Reader } from '@worlds/views/reader'
import { type Changes, readChanges } from './read-changes'

export interface Replica {
  readonly database: Database
  /** How long it is left alone after it has failed. */
  readonly retryMs: number
  /** `used`, `behind` or `failed`; the primary served after the last two. */
  count(outcome: 'used' | 'behind' | 'failed'): void
}

export class FeedSource {
  #awayUntil = 0

  constructor(
    private readonly primary: Database,
    private readonly replica: Replica | null,
    private readonly log: Log,
  ) {}

  /** `limit` 0 reads the head alone; a page ends at `bytes` too. */
  async read(worldId: string, reader: Reader, after: number, limit: number, bytes: number): Promise<Changes> {
    const readFrom = (database: Database, most: number) => readChanges(database, worldId, reader, after, most, bytes)
    if (this.replica === null || Date.now() < this.#awayUntil) return readFrom(this.primary, limit)
    const now = await readFrom(this.primary, 0)
    // Without news this is the answer: who follows an idle world costs the primary one look-up.
    if (limit === 0 || now.authVersion === null || now.head <= after) return now
    return (await this.#readReplica(this.replica, now, readFrom, limit)) ?? readFrom(this.primary, limit)
  }

  async #readReplica(
    { database, retryMs, count }: Replica,
    now: Changes,
    readFrom: (database: Database, most: number) => Promise<Changes>,
    limit: number,
  ): Promise<Changes | null> {
    try {
      const found = await readFrom(database, limit)
      const isThere = reaches(found, now)
      count(isThere ? 'used' : 'behind')
      return isThere ? found : null
    } catch (error) {
      count('failed')
      this.#awayUntil = Date.now() + retryMs
      this.log.warn({ err: error }, 'the replica could not serve a poll: the primary does')
      return null
    }
  }
}

/** A reader that the replica does not know in its role is one that it has not heard of yet. */
function reaches(found: Changes, now: Changes): boolean {
  if (found.authVersion === null || found.timeline !== now.timeline) return false
  return now.versions.every((version, index) => version <= (found.versions[index] ?? -1))
}
