import { RefusalError, unknownToken } from '@worlds/domain/errors'
import type { Digests__Output as Digests } from '@worlds/proto/generated/worlds/membership/v1/Digests'
import type { TokenReply } from '@worlds/proto/generated/worlds/membership/v1/TokenReply'
import type { Context } from '../context'
import { findToken, touchToken } from '../store/tokens'
import { inBackground } from './in-background'

export async function authenticateToken(context: Context, { digests }: Digests): Promise<TokenReply> {
  const token = await findToken(context.db, digests)
  if (token === undefined) throw new RefusalError(unknownToken())
  if (token.stale) inBackground(context, 'noting the use of a token', touchToken(context.db, token.id))
  return { holder: { account_id: token.accountId, token_id: token.id } }
}
