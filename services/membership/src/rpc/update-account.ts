import { noSuch, RefusalError } from '@worlds/domain/errors'
import type { Reply } from '@worlds/proto/generated/worlds/common/v1/Reply'
import type { AccountRequest__Output as AccountRequest } from '@worlds/proto/generated/worlds/membership/v1/AccountRequest'
import type { Context } from '../context'
import { type Fields, name, readBody } from '../domain/body'
import { currentPin, newPin } from '../domain/pin'
import { runErrand } from '../errands'
import { changePin, checkCurrentPin } from '../pin-change'
import { readAccount, renameAccount } from '../store/accounts'
import { getAccount } from './get-account'

const readers = { name, pin: newPin, current_pin: currentPin }

export async function updateAccount(context: Context, request: AccountRequest): Promise<Reply> {
  const fields = readBody(request.body, readers)
  // A PIN change that lost to another is decided anew against the PIN that the other has set.
  let done = false
  while (!done) done = await tryUpdate(context, request, fields)
  return getAccount(context, request)
}

async function tryUpdate(
  context: Context,
  { account_id, address }: AccountRequest,
  fields: Fields<typeof readers>,
): Promise<boolean> {
  const account = await readAccount(context.db, account_id)
  if (account === undefined) throw new RefusalError(noSuch('account'))
  const { name, pin, current_pin } = fields
  if (pin !== undefined) await checkCurrentPin(context, account, current_pin, address)

  const change = await context.db.transaction(async (tx) => {
    const raise = pin === undefined ? undefined : await changePin(context, tx, account, pin)
    if (pin !== undefined && raise === undefined) return undefined
    if (name !== undefined) await renameAccount(tx, account.id, name)
    return { raise }
  })
  if (change === undefined) return false
  await context.failpoints.reach('membership.account-updated')
  if (change.raise !== undefined) await runErrand(context, change.raise)
  return true
}
