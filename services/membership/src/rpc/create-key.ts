import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { name, readOptionalBody, scope } from '../domain/body'
import { keyRow } from '../domain/records'
import { issueKey } from '../issue'
import { created } from './reply'
import { readTiedWorld } from './world-tie'

/** Moves no auth version: no principal can have been cached for a key that was not there. */
export async function createKey(context: Context, request: AccountRequest): Promise<Reply> {
  const world = await readTiedWorld(context, request)
  const fields = readOptionalBody(request.body, { scope, name })
  const { key, secret } = await issueKey(context, context.db, {
    worldId: world.id,
    accountId: request.account_id,
    scope: fields.scope ?? 'write',
    name: fields.name ?? '',
  })
  return created({ ...keyRow(key), key: secret })
}
