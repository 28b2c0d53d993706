import { keyRevoked, RefusalError, unknownKey } from '@worlds/domain/errors'
import type { Digests__Output as Digests } from '@worlds/proto/generated/worlds/membership/v1/Digests'
import type { KeyReply } from '@worlds/proto/generated/worlds/membership/v1/KeyReply'
import type { Context } from '../context'
import { accountPinHolder, seatPinHolder } from '../domain/pin'
import { type FoundKey, findKey, findKeyWorld, touchKey } from '../store/key-holders'
import { inBackground } from './in-background'

/**
 * The world's auth version is asked for before the facts that it stands for are read, hence two reads: a change in
 * between leaves a version that no longer holds, never a current version beside outdated facts.
 */
export async function authenticateKey(context: Context, { digests }: Digests): Promise<KeyReply> {
  const worldId = await findKeyWorld(context.db, digests)
  if (worldId === undefined) throw new RefusalError(unknownKey())
  const version = await context.roll.authVersion(worldId)
  if (version === undefined) throw new RefusalError(unknownKey())
  const key = await findKey(context.db, digests, worldId)
  if (key === undefined) throw new RefusalError(unknownKey())
  if (key.revoked) throw new RefusalError(keyRevoked())
  if (key.stale) inBackground(context, 'noting the use of a key', touchKey(context.db, key.id))

  return {
    holder: {
      principal: {
        world_id: worldId,
        scope: key.scope,
        auth_version: version,
        ...speakerOf(key),
      },
      key_id: key.id,
      pin_holder: pinHolderOf(key),
      pin_digest: key.pinDigest ?? '',
      legacy: key.legacy,
      public_read: key.publicRead,
    },
  }
}

/** A seat acts on its sponsor's account, and on the owner's while nobody else sponsors it. */
function speakerOf({ member, ownerAccount }: FoundKey) {
  if (member === null) return { kind: 'owner', membership: '', account: ownerAccount }
  const account = member.accountId ?? member.sponsorAccount ?? ownerAccount
  const player = member.kind === 'person' && member.accountId === null
  return { kind: member.kind, membership: member.id, account, player }
}

function pinHolderOf({ member, ownerAccount }: FoundKey): string {
  if (member === null) return accountPinHolder(ownerAccount)
  return member.accountId === null ? seatPinHolder(member.id) : accountPinHolder(member.accountId)
}
