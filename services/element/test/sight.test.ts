/** What the file service is answered when it asks what a key sees. */
import { randomUUID } from 'node:crypto'
import { elementV1, membershipV1 } from '@worlds/proto/load'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addPlayer, addSeat, type MemberRole, removeMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { newWorld, type World } from '@worlds/testkit/world'

const settings = { deadlineMs: 10_000, affinity: '', repeatable: false }
const image = (name: string) => `https://images.example.org/u/${name}.png`

let system: System
let element: RpcPeer
let membership: RpcPeer
let world: World
let owner: Api

beforeAll(async () => {
  system = await startSystem({ env: { gateway: { REQUEST_BUDGET: '100000' } } })
  element = new RpcPeer(system.elementAddresses, system.serviceToken)
  membership = new RpcPeer([system.membershipAddress], system.serviceToken)
})
afterAll(async () => {
  element.close()
  membership.close()
  await system.stop()
})
beforeEach(async () => {
  world = await newWorld(system)
  owner = api(system.gateway, { ...world.headers })
})

const sight = () => new RpcClient(elementV1.Sight, element)

/** Is current until the world's auth version moves again. */
async function principal(member = '', kind = 'owner') {
  const reply = await new RpcClient(membershipV1.Operator, membership).unary(
    'DescribeOwner',
    { world_id: world.world },
    settings,
  )
  const auth_version = reply.holder?.principal?.auth_version ?? -1
  const account = world.account.id
  return { world_id: world.world, kind, scope: 'write', membership: member, account, auth_version }
}
type Principal = Awaited<ReturnType<typeof principal>>

async function find(by: Principal, type: string, id: string, toChange = false) {
  const reply = await sight().unary('FindElement', { principal: by, type, id, to_change: toChange }, settings)
  return reply.ask_again ? 'ask_again' : (reply.refusal?.code ?? { ...reply.element, name: reply.name })
}

async function findAll(by: Principal, ids: string[]) {
  const reply = await sight().unary('FindElements', { principal: by, ids }, settings)
  return reply.ask_again ? 'ask_again' : (reply.refusal?.code ?? new Set(reply.found?.elements.map(({ id }) => id)))
}

async function findImage(by: Principal, url: string) {
  const reply = await sight().unary('FindImageUrl', { principal: by, url }, settings)
  return reply.ask_again ? 'ask_again' : (reply.refusal?.code ?? reply.referenced)
}

async function make(by: Api, type: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body, text } = await by.post(`/api/v2/${type}`, { name: 'Someone', ...fields })
  if (status !== 201) throw new Error(text)
  return body.id
}

async function hide(type: string, id: string): Promise<void> {
  expect((await owner.put(`/api/v2/${type}/${id}/hidden`)).status).toBe(204)
}

async function join(role: MemberRole) {
  const member = await addMember(system, world, role)
  return {
    ...member,
    own: api(system.gateway, { ...member.headers }),
    by: await principal(member.membership, 'person'),
  }
}

describe('one element', () => {
  it('is born at its place, stays so, and is born again when it is made again', async () => {
    const by = await principal()
    await make(owner, 'zone')
    const id = await make(owner, 'zone')
    expect(await find(by, 'zone', id)).toEqual({ id, type: 'zone', birth: 2, name: '' })
    await owner.patch(`/api/v2/zone/${id}`, { name: 'Other' })
    await owner.put(`/api/v2/zone/${id}`, { name: 'Another' })
    await hide('zone', id)
    expect(await find(by, 'zone', id)).toMatchObject({ birth: 2 })
    await owner.delete(`/api/v2/zone/${id}`)
    expect(await find(by, 'zone', id)).toBe('not_found')
    await make(owner, 'zone', { id })
    expect(await find(by, 'zone', id)).toMatchObject({ birth: 7 })
  })

  it('is found by its own category alone', async () => {
    const id = await make(owner, 'zone')
    const by = await principal()
    expect(await find(by, 'character', id)).toBe('not_found')
    expect(await find(by, 'zone', randomUUID())).toBe('not_found')
    const other = await newWorld(system)
    const theirs = await make(api(system.gateway, { ...other.headers }), 'zone')
    expect(await find(by, 'zone', theirs)).toBe('not_found')
  })

  it('is changed by the owner and co-builders, and by who made it', async () => {
    const foreign = await make(owner, 'zone')
    expect(await find(await principal(), 'zone', foreign, true)).toMatchObject({ id: foreign })
    const builder = await join('co_builder')
    expect(await find(builder.by, 'zone', foreign, true)).toMatchObject({ id: foreign })
    const contributor = await join('contributor')
    expect(await find(contributor.by, 'zone', foreign)).toMatchObject({ id: foreign, name: '' })
    expect(await find(contributor.by, 'zone', foreign, true)).toBe('not_author')
    const own = await make(contributor.own, 'zone')
    expect(await find(contributor.by, 'zone', own, true)).toMatchObject({ id: own })
    // With something hidden a contributor is served by a statement of its own.
    const hidden = await make(owner, 'zone')
    await hide('zone', hidden)
    await hide('zone', own)
    expect(await find(contributor.by, 'zone', foreign, true)).toBe('not_author')
    expect(await find(contributor.by, 'zone', own, true)).toMatchObject({ id: own })
    expect(await find(contributor.by, 'zone', hidden, true)).toBe('not_found')
    expect(await find(contributor.by, 'zone', hidden)).toBe('not_found')
    expect(await find(builder.by, 'zone', hidden)).toMatchObject({ id: hidden })
  })

  it('is seen by a guest as its view goes', async () => {
    const guest = await join('guest')
    const unseen = await make(owner, 'event')
    const named = await make(owner, 'event', { characters: [guest.character] })
    const own = await make(guest.own, 'event')
    expect(await find(guest.by, 'event', unseen)).toBe('not_found')
    expect(await find(guest.by, 'event', named)).toMatchObject({ id: named })
    expect(await find(guest.by, 'event', named, true)).toBe('not_author')
    expect(await find(guest.by, 'event', own, true)).toMatchObject({ id: own })
    await hide('event', named)
    expect(await find(guest.by, 'event', named)).toBe('not_found')
  })

  it('comes with the name of the agent that asks', async () => {
    const seat = await addSeat(system, world, { role: 'contributor', name: 'Scribe' })
    const player = await addPlayer(system, world, { name: 'Robin' })
    const id = await make(api(system.gateway, { ...seat.headers }), 'zone')
    expect(await find(await principal(seat.membership, 'agent'), 'zone', id, true)).toMatchObject({
      id,
      name: 'Scribe',
    })
    const reads = await find(await principal(player.membership, 'person'), 'character', player.character ?? '')
    expect(reads).toMatchObject({ id: player.character, name: '' })
  })
})

describe('several elements', () => {
  it('are those that the key sees, each once', async () => {
    const guest = await join('guest')
    const contributor = await join('contributor')
    const unseen = await make(owner, 'event')
    const named = await make(owner, 'event', { characters: [guest.character] })
    const hidden = await make(owner, 'zone')
    await hide('zone', hidden)
    const ids = [unseen, named, named, hidden, randomUUID()]
    expect(await findAll(await principal(), ids)).toEqual(new Set([unseen, named, hidden]))
    expect(await findAll(contributor.by, ids)).toEqual(new Set([unseen, named]))
    expect(await findAll(guest.by, ids)).toEqual(new Set([named]))
    const { found } = await sight().unary('FindElements', { principal: contributor.by, ids }, settings)
    expect(found?.elements).toHaveLength(2)
    expect(found?.elements).toContainEqual({ id: named, type: 'event', birth: expect.any(Number) })
  })

  it('are ten thousand at most', async () => {
    const by = await principal()
    const id = await make(owner, 'zone')
    const others = Array.from({ length: 9_999 }, () => randomUUID())
    expect(await findAll(by, [id, ...others, id])).toEqual(new Set([id]))
    await expect(findAll(by, [id, ...others, randomUUID()])).rejects.toThrow()
  })
})

describe('a URL of an image', () => {
  it('is found whole, on what the key sees and on the world itself', async () => {
    const guest = await join('guest')
    const contributor = await join('contributor')
    const by = await principal()
    await make(owner, 'zone', { image_url: image('open') })
    const hidden = await make(owner, 'zone', { image_url: image('hidden') })
    await hide('zone', hidden)
    expect((await owner.patch('/api/v2/world', { image_url: image('world') })).status).toBe(200)
    const of = async (who: Principal) =>
      Promise.all(
        [image('open'), image('hidden'), image('world'), image('none'), '', image('ope')].map((url) =>
          findImage(who, url),
        ),
      )
    expect(await of(by)).toEqual([true, true, true, false, false, false])
    expect(await of(contributor.by)).toEqual([true, false, true, false, false, false])
    expect(await of(guest.by)).toEqual([false, false, true, false, false, false])
  })

  it('is found no longer once it was taken off', async () => {
    const by = await principal()
    const id = await make(owner, 'zone', { image_url: image('once') })
    expect(await findImage(by, image('once'))).toBe(true)
    await owner.patch(`/api/v2/zone/${id}`, { image_url: '' })
    expect(await findImage(by, image('once'))).toBe(false)
  })
})

describe('a key that is no longer good', () => {
  const asks = async (by: Principal, id: string) => [
    await find(by, 'zone', id),
    await findAll(by, []),
    await findImage(by, image('x')),
  ]

  it('is asked for again when it was found at another version', async () => {
    const id = await make(owner, 'zone')
    const { by } = await join('contributor')
    for (const current of [by, await principal()]) {
      expect(await findAll(current, [])).toEqual(new Set())
      const stale = { ...current, auth_version: current.auth_version - 1 }
      expect(await asks(stale, id)).toEqual(Array(3).fill('ask_again'))
    }
  })

  it('is asked for again when its world is gone', async () => {
    const id = await make(owner, 'zone')
    const by = await principal()
    await api(system.gateway, { Authorization: `Bearer ${world.token}` }).delete(
      `/api/v2/account/worlds/${world.world}`,
    )
    expect(await asks(by, id)).toEqual(Array(3).fill('ask_again'))
  })

  it('is not known when its member was removed', async () => {
    const id = await make(owner, 'zone')
    const member = await join('contributor')
    expect(await find(member.by, 'zone', id)).toMatchObject({ id })
    await removeMember(system, world, member.membership)
    expect(await asks(await principal(member.membership, 'person'), id)).toEqual(Array(3).fill('invalid_credentials'))
  })
})
