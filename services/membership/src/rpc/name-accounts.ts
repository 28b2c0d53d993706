import type { AccountIds__Output as AccountIds } from '@worlds/proto/generated/worlds/membership/v1/AccountIds'
import type { AccountNames } from '@worlds/proto/generated/worlds/membership/v1/AccountNames'
import type { Context } from '../context'
import { readNames } from '../store/accounts'

export async function nameAccounts(context: Context, { ids }: AccountIds): Promise<AccountNames> {
  return { names: Object.fromEntries(await readNames(context.db, ids)) }
}
