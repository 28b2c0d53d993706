import type { Member } from '../store/members'
import type { Tie } from './world-tie'

/** Of a seat: the account that was named when it was made, else the owner. */
export function isSponsor({ as }: Tie, accountId: string, { kind, sponsorAccount }: Member): boolean {
  if (kind !== 'agent') return false
  return sponsorAccount === null ? as === 'owner' : sponsorAccount === accountId
}
