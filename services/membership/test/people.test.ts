/** What membership is asked for the files and images of accounts. */
import { randomUUID } from 'node:crypto'
import { membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { createAccount } from '@worlds/testkit/world'

const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }

let system: System
let peer: RpcPeer
beforeAll(async () => {
  system = await startSystem()
  peer = new RpcPeer([system.membershipAddress], system.serviceToken)
})
afterAll(async () => {
  peer.close()
  await system.stop()
})

const names = async (...ids: string[]) =>
  (await new RpcClient(membershipV1.People, peer).unary('NameAccounts', { ids }, settings)).names

it('names accounts, but none that is unknown or deleted', async () => {
  const [ann, ben] = [await createAccount(system, { name: 'Ann' }), await createAccount(system, { name: 'Ben' })]
  const gone = await createAccount(system, { name: 'Gone' })
  expect(await names(gone.account.id)).toEqual({ [gone.account.id]: 'Gone' })
  await api(system.gateway, { Authorization: `Bearer ${gone.token}` }).delete('/api/v2/account')
  const ids = [ann, ben, gone].map(({ account }) => account.id)
  expect(await names(...ids, ...ids, randomUUID())).toEqual({ [ann.account.id]: 'Ann', [ben.account.id]: 'Ben' })
  expect(await names()).toEqual({})
})

it('shows an account with the image bytes that it is told', async () => {
  const { account } = await createAccount(system, { name: 'Ann' })
  const accounts = new RpcClient(membershipV1.Accounts, peer)
  const told = { account_id: account.id, image_bytes_used: 5_000_000_000, image_bytes_cap: 1_073_741_824 }
  const shown = { image_bytes_used: 5_000_000_000, image_bytes_cap: 1_073_741_824 }
  const read = await accounts.unary('GetAccount', told, settings)
  expect(JSON.parse(String(read.body))).toMatchObject({ name: 'Ann', ...shown })
  const renamed = await accounts.unary('UpdateAccount', { ...told, body: Buffer.from('{"name":"Anna"}') }, settings)
  expect(JSON.parse(String(renamed.body))).toMatchObject({ name: 'Anna', ...shown })
})
