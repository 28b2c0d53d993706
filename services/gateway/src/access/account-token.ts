import { type Refusal, unknownToken } from '@worlds/domain/errors'
import { digests } from '@worlds/runtime/secrets'
import type { Clients } from '../clients'
import type { AccessScope } from './admit'

export type AccountAdmission =
  | { readonly accountId: string; readonly headers: Record<string, string> }
  | { readonly refusal: Refusal; readonly headers: Record<string, string> }

/** Steps 4 and 5 for account routes. Tokens are never kept: each request asks membership. */
export async function admitAccount(
  scope: AccessScope & { readonly clients: Clients },
  authorization: string | undefined,
  address: string,
): Promise<AccountAdmission> {
  const token = /^bearer +(\S{1,200})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) return { refusal: unknownToken(), headers: {} }
  const { holder } = await scope.clients.authenticateToken(digests(scope.peppers, token))
  if (holder === undefined || holder === null) {
    return { refusal: (await scope.budget.spendUnknown(address)) ?? unknownToken(), headers: {} }
  }
  const { refusal, headers } = await scope.budget.spend(holder.token_id)
  return refusal === null ? { accountId: holder.account_id, headers } : { refusal, headers }
}
