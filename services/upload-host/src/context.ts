import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import type { Producer } from '@worlds/runtime/queue-ends'
import type { Claims } from '@worlds/storage/claims'
import type { ObjectStore } from '@worlds/storage/object-store'
import type { Rooms } from '@worlds/storage/rooms'
import type { TicketReader } from '@worlds/storage/tickets'
import type { Afterwards } from './afterwards'
import type { Limits } from './config'
import type { Reports } from './reports'
import type { Slabs } from './slabs'

/** What an upload or a removal works with. */
export interface Context {
  readonly log: Log
  readonly tickets: TicketReader
  /** Null while no store is configured. */
  readonly objects: ObjectStore | null
  readonly claims: Claims
  readonly rooms: Rooms
  /** Of what is needed now: a room's books. */
  readonly requests: Producer<'file-stored'>
  readonly reports: Reports
  readonly afterwards: Afterwards
  readonly limits: Limits
  readonly directory: string
  readonly memory: Slabs
  readonly failpoints: Failpoints
}
