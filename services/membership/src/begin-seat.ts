import type { Transaction } from '@worlds/runtime/postgres'
import { digest, pinText } from '@worlds/runtime/secrets'
import { uuidv7 } from 'uuidv7'
import { beginJoining } from './begin-joining'
import type { Context } from './context'
import { mintSeatSecret } from './domain/keys'
import { seatPinHolder } from './domain/pin'
import type { Errand } from './errands'
import { issueKey } from './issue'
import type { AddMember, MemberOrder } from './joining'
import type { Via } from './store/members'

export interface SeatOrder {
  readonly worldId: string
  readonly via: Via
  readonly viaId: string | null
  /** Null when the owner sponsors. */
  readonly sponsorAccount: string | null
  /** Holds the key, for it is no person's. */
  readonly ownerAccount: string
  readonly order: MemberOrder
}

export interface BegunSeat {
  readonly errand: Errand<AddMember>
  readonly key: string
  /** A player only reads, and has none. */
  readonly pin: string | null
}

/** A member without an account, with credentials that nobody but the caller will ever see. They work once it is in. */
export async function beginSeat(context: Context, tx: Transaction, seat: SeatOrder): Promise<BegunSeat | undefined> {
  const { worldId, via, viaId, sponsorAccount, ownerAccount, order } = seat
  const id = uuidv7()
  const pin = order.kind === 'agent' ? mintSeatSecret() : null
  const secretDigest = pin === null ? null : digest(context.peppers, pinText(seatPinHolder(id), pin))
  const member = { id, worldId, accountId: null, via, viaId, sponsorAccount, secretDigest }
  const errand = await beginJoining(context, tx, member, order)
  if (errand === undefined) return undefined
  const { secret } = await issueKey(context, tx, {
    worldId,
    accountId: ownerAccount,
    scope: pin === null ? 'read' : 'write',
    name: order.name,
    membership: id,
  })
  return { errand, key: secret, pin }
}
