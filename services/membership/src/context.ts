import type { Failpoints } from '@worlds/runtime/failpoint'
import type { Log } from '@worlds/runtime/log'
import type { PinGuard } from '@worlds/runtime/pin-guard'
import type { Database } from '@worlds/runtime/postgres'
import type { Producer } from '@worlds/runtime/queue-ends'
import type { Pepper } from '@worlds/runtime/secrets'
import type { Mailer } from './mail/mailer'
import type { Roll } from './roll'
import type { MailLimits } from './store/mail-counts'

/** What the operations of this service work with. */
export interface Context {
  readonly log: Log
  readonly db: Database
  readonly roll: Roll
  readonly pinGuard: PinGuard
  readonly peppers: readonly Pepper[]
  readonly failpoints: Failpoints
  /** Told of accounts that are gone. */
  readonly accountDeleted: Pick<Producer<'account-deleted'>, 'add'>
  readonly mailer: Mailer
  readonly mailLimits: MailLimits
  readonly emailTokenLifeMs: number
  readonly portalUrl: string
  readonly apiUrl: string
  /** AI tokens of an account on one day. */
  readonly tokenRating: number
  /** How long an outbox row is left to the request that wrote it. */
  readonly outboxLeaseMs: number
}
