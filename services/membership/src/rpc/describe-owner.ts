import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { DescribeOwnerRequest__Output as DescribeOwnerRequest } from '@worlds/proto/generated/worlds/membership/v1/DescribeOwnerRequest'
import type { KeyReply } from '@worlds/proto/generated/worlds/membership/v1/KeyReply'
import type { Context } from '../context'
import { readId } from '../domain/ids'
import { accountPinHolder } from '../domain/pin'
import { readOpenWorld } from '../store/worlds'

/** As for a key, the version is asked for before the facts that it stands for are read. */
export async function describeOwner(context: Context, request: DescribeOwnerRequest): Promise<KeyReply> {
  const worldId = readId(request.world_id, noSuch('world'))
  const version = await context.roll.authVersion(worldId)
  const world = version === undefined ? undefined : await readOpenWorld(context.db, worldId)
  if (world === undefined) throw new RefusalError(noSuch('world'))
  return {
    holder: {
      principal: {
        world_id: world.id,
        kind: 'owner',
        scope: 'write',
        membership: '',
        account: world.ownerAccount,
        auth_version: version,
      },
      key_id: '',
      pin_holder: accountPinHolder(world.ownerAccount),
      pin_digest: world.ownerPinDigest ?? '',
      legacy: false,
      public_read: world.publicRead,
    },
  }
}
