import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import type { Database } from '@worlds/runtime/postgres'
import type { Claims } from '@worlds/storage/claims'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { Rooms } from '@worlds/storage/rooms'
import type { Config } from './config'
import type { DownloadLinks } from './downloads/links'
import type { Quotas } from './quotas'
import type { Listings } from './settle/listings'
import type { Sight } from './sight'

/** What the operations of this service work with. */
export interface Context {
  readonly config: Config
  readonly log: Log
  readonly db: Database
  readonly sight: Sight
  /** Null while no object store is configured. */
  readonly objects: ObjectStore | null
  /** The same, by connections of its own: slow readers keep nobody else from the store. */
  readonly served: ObjectStore | null
  readonly claims: Claims
  readonly rooms: Rooms
  readonly listings: Listings
  /** Rooms whose books are being made anew by this process. */
  readonly filling: Map<string, Promise<void>>
  readonly quotas: Quotas
  readonly links: DownloadLinks
  readonly failpoints: Failpoints
}
