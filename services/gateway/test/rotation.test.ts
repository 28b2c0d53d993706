import { randomBytes } from 'node:crypto'
import { api } from '@worlds/testkit/api'
import { type System, startSystem } from '@worlds/testkit/system'
import { makeTicketKeys } from '@worlds/testkit/ticket-keys'
import { addFile, ask, fileTicket, send } from './files-support'
import { expectBody, newOwner, type Owner } from './support'
import { expectHostRefusal } from './uploads-support'

/** Each secret is replaced as docs/operations.md tells it: what rests on the old one is good until that is taken away. */
describe('a secret is replaced without a stop', () => {
  let system: System
  let own: Owner
  let place: string
  const links = [`l1:${secret()}`, `l2:${secret()}`] as const
  const secondKeys = makeTicketKeys('t2')
  beforeAll(async () => {
    system = await startSystem({
      files: true,
      gateways: 2,
      env: { gateway: { PRINCIPAL_TTL_MS: '1' }, file: { LINK_SECRETS: links[0] } },
    })
    own = await newOwner(system)
    place = (await own.make('location')).id
  })
  afterAll(() => system.stop())

  async function roll(names: readonly string[], env: Record<string, string>): Promise<void> {
    for (const name of names) await system.processes.restart(name, env)
  }
  const everywhere = async (headers: Record<string, string>): Promise<number[]> =>
    Promise.all(
      system.gateways.map(async (gateway) => (await api(gateway, headers).get(`/api/v2/location/${place}`)).status),
    )

  it('peppers: keys of the old one work until it goes, new keys are of the new one', async () => {
    const [old, fresh] = [system.peppers, `p2:${secret()}`]
    const callers = ['membership', 'gateway', 'gateway-2']
    await roll(callers, { PEPPERS: `${old},${fresh}` })
    expect(await everywhere(own.headers)).toEqual([200, 200])
    await roll(callers, { PEPPERS: `${fresh},${old}` })
    expect(await everywhere(own.headers)).toEqual([200, 200])
    const account = api(system.gateway, { Authorization: `Bearer ${own.token}` })
    const made = expectBody(await account.post(`/api/v2/account/worlds/${own.world}/keys`, { scope: 'read' }), 201)
    await roll(callers, { PEPPERS: fresh })
    expect(await everywhere({ 'API-Key': made.key })).toEqual([200, 200])
    expect(await everywhere(own.headers)).toEqual([401, 401])
    await roll(callers, { PEPPERS: `${fresh},${old}` })
    expect(await everywhere(own.headers)).toEqual([200, 200])
  })

  it('ticket keys: tickets of the old one are good until its public key goes', async () => {
    const { signingKey, publicKey } = system.ticketKeys
    const before = [await fileTicket(own, 'location', place), await fileTicket(own, 'location', place)] as const
    await roll(['upload-host'], { TICKET_PUBLIC_KEYS: `${publicKey},${secondKeys.publicKey}` })
    await roll(['file'], { TICKET_SIGNING_KEY: secondKeys.signingKey })
    expect((await send(before[0], 'hello')).status).toBe(201)
    expect((await send(await fileTicket(own, 'location', place), 'hello')).status).toBe(201)
    await roll(['upload-host'], { TICKET_PUBLIC_KEYS: secondKeys.publicKey })
    expect((await send(await fileTicket(own, 'location', place), 'hello')).status).toBe(201)
    expectHostRefusal(await send(before[1], 'hello'), 401, 'ticket_invalid')
    expect(signingKey).not.toBe(secondKeys.signingKey)
  })

  it('secrets of links: links of the old one are good until it goes', async () => {
    const { id } = await addFile(own, 'location', place)
    const link = async (): Promise<string> =>
      expectBody(await own.get(`/api/v2/location/${place}/files/${id}/download`), 200).url
    const before = await link()
    await roll(['file'], { LINK_SECRETS: [links[1], links[0]].join() })
    expect((await ask(before)).status).toBe(200)
    const after = await link()
    await roll(['file'], { LINK_SECRETS: links[1] })
    expect((await ask(after)).status).toBe(200)
    expect((await ask(before)).status).toBe(403)
  })

  it('the secret of calls between services: in three rounds, with calls between any two of them', async () => {
    const fresh = randomBytes(16).toString('hex')
    const names = ['element', 'membership', 'change-feed', 'file', 'gateway', 'gateway-2']
    for (const tokens of [[system.serviceToken, fresh], [fresh, system.serviceToken], [fresh]]) {
      for (const name of names) {
        await roll([name], { SERVICE_TOKEN: tokens.join() })
        expect(await everywhere(own.headers)).toEqual([200, 200])
        expect((await own.get(`/api/v2/location/${place}/files`)).status).toBe(200)
        expect((await own.get('/api/v2/changes')).status).toBe(200)
      }
    }
  })
})

function secret(): string {
  return randomBytes(32).toString('hex')
}
