import { randomBytes } from 'node:crypto'
import { membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { api } from './api'
import type { System } from './system'

type Reached = Pick<System, 'gateway' | 'membershipAddress' | 'serviceToken'>

export interface Account {
  readonly account: { readonly id: string; readonly email: string }
  /** `ow_a_…` */
  readonly token: string
}

export interface World extends Account {
  readonly pin: string
  readonly world: string
  /** The owner's write key. */
  readonly key: string
  readonly headers: { readonly 'API-Key': string; readonly 'API-Pin': string }
}

/** An account as the operator makes it, of an address nobody has. */
export async function createAccount(
  system: Reached,
  options: { pin?: string; email?: string; name?: string } = {},
): Promise<Account> {
  const peer = new RpcPeer([system.membershipAddress], system.serviceToken)
  const client = new RpcClient(membershipV1.Operator, peer)
  try {
    const { email = `${randomBytes(8).toString('hex')}@example.org`, name = 'Someone', pin = '' } = options
    const request = { email, name, pin, password: '' }
    const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
    const reply = await client.unary('CreateAccount', request, settings)
    if (reply.body === undefined) throw new Error(`no account was made: ${JSON.stringify(reply.refusal)}`)
    return JSON.parse(reply.body.toString())
  } finally {
    peer.close()
  }
}

export async function createWorld(
  system: Reached,
  token: string,
  name = 'World',
): Promise<{ id: string; key: string }> {
  const reply = await api(system.gateway, { Authorization: `Bearer ${token}` }).post('/api/v2/account/worlds', { name })
  if (reply.status !== 201) throw new Error(`no world was made: ${reply.status} ${reply.text}`)
  return { id: reply.body.id, key: reply.body.key }
}

/** A world of an account of its own, whose PIN is 1234. */
export async function newWorld(system: Reached, name?: string): Promise<World> {
  const pin = '1234'
  const { account, token } = await createAccount(system, { pin })
  const { id, key } = await createWorld(system, token, name)
  return { account, token, pin, world: id, key, headers: { 'API-Key': key, 'API-Pin': pin } }
}
