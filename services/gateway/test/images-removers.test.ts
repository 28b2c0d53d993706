import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat, type Member } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { accountApi } from './hostile-table'
import { addCounted, removalTicket, remove, untilUsed } from './images-support'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'

let system: System
let own: Owner
let bearer: Api

beforeAll(async () => {
  system = await startSystem({ files: true })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  bearer = accountApi(system.gateway, own.token)
})

const by = ({ headers }: { headers: Record<string, string> }) => api(system.gateway, headers)

describe('who removes an image', () => {
  const imageBy = async (member: { headers: Record<string, string> }, token: string): Promise<string> =>
    (await addCounted(by(member), accountApi(system.gateway, token))).key

  it('[IM-003] is the owner, whoever uploaded it', async () => {
    const member = await addMember(system, own, 'contributor')
    const removal = expectBody(await removalTicket(own, await imageBy(member, member.token)), 200)
    expect((await remove(removal)).status).toBe(201)
    await untilUsed(accountApi(system.gateway, member.token), 0)
  })

  it('[IM-003] is the account that uploaded it, its seats and other keys', async () => {
    const member = await addMember(system, own, 'contributor')
    const seat = await addSeat(system, own, { link: { sponsor_email: member.account.email } })
    const token = accountApi(system.gateway, member.token)
    const { key } = expectBody(await token.post(`/api/v2/account/worlds/${own.world}/keys`), 201)
    const second = api(system.gateway, { 'API-Key': key, 'API-Pin': member.pin })
    for (const [adder, remover] of [
      [member, by(member)],
      [member, second],
      [member, by(seat)],
      [seat, by(member)],
    ] as const) {
      expectBody(await removalTicket(remover, await imageBy(adder, member.token)), 200)
    }
  })

  it('[IM-003][IM-004] is nobody else, which is told before a removal under way', async () => {
    const member = await addMember(system, own, 'contributor')
    const key = await imageBy(member, member.token)
    const mine = (await addCounted(own, bearer)).key
    const builder: Member = await addMember(system, own, 'co_builder')
    const seat = await addSeat(system, own, { role: 'co_builder' })
    for (const other of [by(builder), by(seat)]) {
      expectRefusal(await removalTicket(other, key), 403, 'permission_error', null)
    }
    expectRefusal(await removalTicket(by(builder), mine), 403, 'permission_error', null)
    expectBody(await removalTicket(own, key), 200)
    expectRefusal(await removalTicket(by(builder), key), 403, 'permission_error', null)
    expectRefusal(await removalTicket(by(member), key), 409, 'removal_in_flight')
  })
})

describe('whether an image is referenced', () => {
  const referenced = async (key: string, who: Api = own): Promise<boolean> =>
    expectBody(await removalTicket(who, key), 200).referenced

  it('[IM-003] is told of elements and of the world itself', async () => {
    const [one, two, three] = [
      await addCounted(own, bearer),
      await addCounted(own, bearer),
      await addCounted(own, bearer),
    ]
    await own.make('pin', { image_url: one.url })
    expectBody(await own.patch('/api/v2/world', { image_url: two.url }), 200)
    expect([await referenced(one.key), await referenced(two.key), await referenced(three.key)]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('[IM-003] is told of whole addresses, as they are now', async () => {
    const images: Body[] = []
    for (let n = 0; n < 4; n += 1) images.push(await addCounted(own, bearer))
    const [longer, bare, former, gone] = images
    await own.make('location', { image_url: `${longer.url}?size=2` })
    await own.make('location', { image_url: bare.key, description: bare.url })
    const { id } = await own.make('location', { image_url: former.url })
    expectBody(await own.patch(`/api/v2/location/${id}`, { image_url: '' }), 200)
    const { id: deleted } = await own.make('location', { image_url: gone.url })
    expectBody(await own.delete(`/api/v2/location/${deleted}`), 204)
    for (const { key } of images) expect(await referenced(key)).toBe(false)
  })

  it('[IM-003] is told of what the caller sees, and of no other world', async () => {
    const member = await addMember(system, own, 'contributor')
    const guest = await addMember(system, own, 'guest')
    const other = await newOwner(system)
    const urls: Record<string, Body> = {}
    for (const [name, token] of Object.entries({ member: member.token, guest: guest.token, owner: member.token })) {
      const adder = name === 'guest' ? guest : member
      urls[name] = await addCounted(by(adder), accountApi(system.gateway, token))
      const { id } = await own.make('location', { image_url: urls[name]?.url })
      if (name !== 'guest') expect((await own.put(`/api/v2/location/${id}/hidden`)).status).toBe(204)
    }
    expect(await referenced(urls.member?.key, by(member))).toBe(false)
    expect(await referenced(urls.guest?.key, by(guest))).toBe(false)
    expect(await referenced(urls.owner?.key, own)).toBe(true)
    const elsewhere = await addCounted(own, bearer)
    await other.make('location', { image_url: elsewhere.url })
    expect(await referenced(elsewhere.key)).toBe(false)
  })
})
