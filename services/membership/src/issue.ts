import type { Transaction } from '@worlds/runtime/postgres'
import { digest } from '@worlds/runtime/secrets'
import { uuidv7 } from 'uuidv7'
import type { Context } from './context'
import { last4, mintKey, mintToken, type Scope } from './domain/keys'
import type { Key, Token } from './domain/records'
import { insertKey } from './store/keys'
import { insertToken } from './store/tokens'

/** Mints a token; the secret is in nobody's hands but the caller's. No token comes of an account that is not there. */
export async function issueToken(
  context: Context,
  db: Transaction,
  accountId: string,
  name: string,
): Promise<{ token: Token | undefined; secret: string }> {
  const secret = mintToken()
  const token = await insertToken(db, {
    id: uuidv7(),
    accountId,
    name,
    digest: digest(context.peppers, secret),
    last4: last4(secret),
  })
  return { token, secret }
}

export interface KeyOrder {
  readonly worldId: string
  readonly accountId: string
  readonly scope: Scope
  readonly name: string
  /** Null for the owner's keys. */
  readonly membership: string | null
}

/** Mints a key; the secret is in nobody's hands but the caller's. */
export async function issueKey(
  context: Context,
  db: Transaction,
  order: KeyOrder,
): Promise<{ key: Key; secret: string }> {
  const secret = mintKey(order.scope)
  const key = await insertKey(db, {
    ...order,
    id: uuidv7(),
    digest: digest(context.peppers, secret),
    last4: last4(secret),
    legacy: false,
  })
  if (key === undefined) throw new Error('a freshly minted key was taken')
  return { key, secret }
}
