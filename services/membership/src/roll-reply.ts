import type { Refusal } from '@worlds/domain/errors'
import type { MemberReply__Output as MemberReply } from '@worlds/proto/generated/worlds/element/v1/MemberReply'
import type { RollMember__Output as RollMember } from '@worlds/proto/generated/worlds/element/v1/RollMember'
import { fromWire } from '@worlds/runtime/refusals'

export type MemberOrRefusal = { readonly member: RollMember } | { readonly refusal: Refusal }

export function memberOf({ member, refusal }: MemberReply): MemberOrRefusal {
  if (member !== null && member !== undefined) return { member }
  if (refusal === null || refusal === undefined) throw new Error('element answered without a member')
  return { refusal: fromWire(refusal) }
}
