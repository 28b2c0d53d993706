import type { CountSharingRequest__Output as CountSharingRequest } from '@worlds/proto/generated/worlds/membership/v1/CountSharingRequest'
import type { SharingCounts } from '@worlds/proto/generated/worlds/membership/v1/SharingCounts'
import type { Context } from '../context'
import { countSharing as count } from '../store/sharing'

export async function countSharing(context: Context, { world_id }: CountSharingRequest): Promise<SharingCounts> {
  const { pendingInvites, readKeys, openLinks } = await count(context.db, world_id)
  return { pending_invites: pendingInvites, read_keys: readKeys, open_links: openLinks }
}
