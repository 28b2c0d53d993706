import { membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import type { System } from '@worlds/testkit/system'

let imported = 3_000_000_000

/** A 10-digit key of a world, as the operator brings it in. */
export async function importLegacyKey(system: System, world: string): Promise<string> {
  imported += 1
  const key = String(imported)
  const peer = new RpcPeer([system.membershipAddress], system.serviceToken)
  const client = new RpcClient(membershipV1.Operator, peer)
  const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
  const request = { world_id: world, key, read_only: false }
  const { refusal } = await client.unary('ImportLegacyKey', request, settings).finally(() => peer.close())
  if (refusal) throw new Error(`no key was imported: ${JSON.stringify(refusal)}`)
  return key
}
