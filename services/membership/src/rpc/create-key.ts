import { noSuch, pinRequired, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { name, readOptionalBody, scope } from '../domain/body'
import { keyRow } from '../domain/records'
import { issueKey } from '../issue'
import { readAccount } from '../store/accounts'
import { lockActiveMember } from '../store/members'
import { created } from './reply'
import { readMemberTie } from './world-tie'

/** Moves no auth version: no principal can have been cached for a key that was not there. */
export async function createKey(context: Context, request: AccountRequest): Promise<Reply> {
  const { world, membership } = await readMemberTie(context, request)
  const fields = readOptionalBody(request.body, { scope, name })
  const order = {
    worldId: world.id,
    accountId: request.account_id,
    scope: fields.scope ?? 'write',
    name: fields.name ?? '',
    membership,
  }
  if (membership !== null && order.scope === 'write') await refuseWithoutPin(context, request.account_id)
  const { key, secret } = await context.db.transaction(async (tx) => {
    // A removal under way comes before the key or takes it along.
    const isIn = membership === null || (await lockActiveMember(tx, membership))
    if (!isIn) throw new RefusalError(noSuch('world'))
    return issueKey(context, tx, order)
  })
  return created({ ...keyRow(key), key: secret })
}

/** Nobody could write with the key: a member's writes always need its PIN. */
async function refuseWithoutPin(context: Context, accountId: string): Promise<void> {
  const account = await readAccount(context.db, accountId)
  if (account?.pinDigest === null) throw new RefusalError(pinRequired())
}
