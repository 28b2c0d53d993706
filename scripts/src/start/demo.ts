import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { accepted, oneTry } from '@worlds/ops/reply'
import { membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { api } from '@worlds/testkit/api'
import { writeFileOf } from './data-dir'

export const demoKey = '0000000000'

/** Makes the demo world, once per data folder: it reads without an account by the well-known key. */
export async function makeDemo(
  dir: string,
  gateway: string,
  membership: string,
  serviceToken: string,
): Promise<'made' | 'there'> {
  if (existsSync(join(dir, 'demo.json'))) return 'there'
  // The servers given may hold the demo of another data folder.
  if ((await api(gateway, { 'API-Key': demoKey }).get('/api/v2/world')).status === 200) return 'there'
  const peer = new RpcPeer([membership], serviceToken)
  const operator = new RpcClient(membershipV1.Operator, peer)
  try {
    // An address of its own, for a start that was stopped half-way may have left one. The key comes last.
    const person = { email: `demo-${randomBytes(4).toString('hex')}@example.org`, name: 'Demo', pin: '', password: '' }
    const made = await operator.unary('CreateAccount', person, oneTry)
    const { token } = accepted<{ token: string }>(made)
    const created = await api(gateway, { Authorization: `Bearer ${token}` }).post('/api/v2/account/worlds', {
      name: 'Demo',
    })
    if (created.status !== 201) throw new Error(`the demo world was not made: ${created.status} ${created.text}`)
    const { id, key } = created.body as { id: string; key: string }
    await makeElements(gateway, key)
    const legacy = { world_id: id, key: demoKey, read_only: true }
    accepted(await operator.unary('ImportLegacyKey', legacy, oneTry))
    await writeFileOf(dir, 'demo.json', { world: id, key, token }, true)
    return 'made'
  } finally {
    peer.close()
  }
}

async function makeElements(gateway: string, key: string): Promise<void> {
  const world = api(gateway, { 'API-Key': key })
  const make = async (type: string, element: object): Promise<string> => {
    const reply = await world.post(`/api/v2/${type}`, element)
    if (reply.status !== 201) throw new Error(`the demo's ${type} was not made: ${reply.status} ${reply.text}`)
    return reply.body.id
  }
  const isles = await make('zone', {
    name: 'The Sunken Isles',
    description: 'Hills that became islands when the sea rose.',
  })
  const harbour = await make('location', { name: 'Lantern Harbour', supertype: 'settlement', zone: isles })
  const selkie = await make('species', { name: 'Selkie', description: 'Seal in the water, person on land.' })
  const guild = await make('institution', {
    name: 'Keepers of the Light',
    doctrine: 'No lamp goes out.',
    zones: [isles],
  })
  const maren = await make('character', {
    name: 'Maren',
    species: [selkie],
    birthplace: harbour,
    location: harbour,
    institutions: [guild],
  })
  const iven = await make('character', { name: 'Ívën', friends: [maren], location: harbour })
  await make('object', { name: '燈籠 (the first lantern)', location: harbour })
  await make('event', { name: 'The night without lamps', characters: [maren, iven], locations: [harbour] })
}
