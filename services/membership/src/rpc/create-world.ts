import { invalid, noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Transaction } from '@worlds/runtime/postgres'
import { uuidv7 } from 'uuidv7'
import type { Context } from '../context'
import { readBody, worldName } from '../domain/body'
import { newPin } from '../domain/pin'
import { keyRow } from '../domain/records'
import { addErrand, type Errand, runErrand } from '../errands'
import { issueKey } from '../issue'
import { changePin } from '../pin-change'
import { insertOpeningWorld } from '../store/worlds'
import { created } from './reply'

/** Goes only forward: once the world is committed as opening, this request or the relay opens it in element. */
export async function createWorld(context: Context, request: AccountRequest): Promise<Reply> {
  const { name, pin } = readBody(request.body, { name: worldName, pin: newPin })
  if (name === undefined) throw new RefusalError(invalid('name', 'name is required.'))
  const worldId = uuidv7()
  const accountId = request.account_id

  const { key, secret, errands } = await context.db.transaction(async (tx) => {
    if (!(await insertOpeningWorld(tx, worldId, accountId))) throw new RefusalError(noSuch('account'))
    const errands: Errand[] = [await addErrand(context, tx, { kind: 'open-world', worldId, payload: { name } })]
    if (pin !== undefined) errands.push(await setFirstPin(context, tx, accountId, pin))
    return {
      ...(await issueKey(context, tx, { worldId, accountId, scope: 'write', name: '', membership: null })),
      errands,
    }
  })
  await context.failpoints.reach('membership.world-committed')
  for (const errand of errands) await runErrand(context, errand)

  const row = keyRow(key)
  const keys = [{ id: row.id, name: row.name, last4: row.last4, scope: row.scope, revoked: row.revoked }]
  return created({ id: worldId, name, role: 'owner', public_read: false, keys, key: secret })
}

async function setFirstPin(context: Context, tx: Transaction, id: string, pin: string): Promise<Errand> {
  const errand = await changePin(context, tx, { id, pinDigest: null }, pin)
  if (errand !== undefined) return errand
  throw new RefusalError(invalid('pin', 'The account has a PIN already.'))
}
