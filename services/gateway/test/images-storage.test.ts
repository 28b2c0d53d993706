import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, addSeat } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createWorld } from '@worlds/testkit/world'
import { addImage, bucketOf, imageTicket, keysIn, png, send, untilReported } from './files-support'
import { accountApi } from './hostile-table'
import { addCounted, isServed, removalTicket, remove, storageOf, untilUsed } from './images-support'
import { type Body, expectBody, expectRefusal, newOwner, type Owner } from './support'
import { expectHostRefusal } from './uploads-support'

/** What images take, and how many tickets there are for them. */
let system: System
let own: Owner
let bearer: Api
const cap = 1_000

beforeAll(async () => {
  system = await startSystem({ files: true, env: { file: { IMAGE_BYTES_CAP: String(cap), IMAGE_TICKETS: '12' } } })
})
afterAll(() => system.stop())
beforeEach(async () => {
  own = await newOwner(system)
  bearer = accountApi(system.gateway, own.token)
})

const ask = (by: Api) => by.post('/api/v2/media/ticket')

/** Another world of the same account. */
async function newSecond(): Promise<Api & { world: string }> {
  const { id, key } = await createWorld(system, own.token, 'Second')
  return { ...api(system.gateway, { 'API-Key': key, 'API-Pin': own.pin }), world: id }
}

describe('the image storage of an account', () => {
  it('[IM-016] is told by the account', async () => {
    const record = expectBody(await bearer.get('/api/v2/account'), 200)
    expect(record).toMatchObject({ image_bytes_used: 0, image_bytes_cap: cap })
    await addCounted(own, bearer, 300)
    await imageTicket(own)
    expect(await storageOf(bearer)).toEqual({ used: 300, cap })
  })

  it('[IM-009][IM-016] is one over all of its worlds', async () => {
    const other = await newSecond()
    await addCounted(own, bearer, 600)
    expect((await imageTicket(other)).max_bytes).toBe(400)
    const second = await addCounted(other, bearer, 399)
    const last = await imageTicket(own)
    expect(last.max_bytes).toBe(1)
    expectHostRefusal(await send(last as never, png(64)), 413, 'too_large')
    // One byte is no image: room is made for one that fills the storage to its end.
    expect((await remove(expectBody(await removalTicket(other, second.key), 200))).status).toBe(201)
    await untilUsed(bearer, 600)
    await addCounted(own, bearer, 400)
    for (const by of [own, other]) {
      const reply = await ask(by)
      expectRefusal(reply, 403, 'storage_full', null)
      expect(reply.headers.has('retry-after')).toBe(false)
    }
  })

  it('[IM-009] holds what tickets promise: what no longer fits is refused, and fits when room is made', async () => {
    const [first, late] = [await imageTicket(own), await imageTicket(own)]
    expect([first.max_bytes, late.max_bytes]).toEqual([cap, cap])
    const { body } = await send(first as never, png(600))
    expectHostRefusal(await send(late as never, png(401)), 413, 'too_large')
    const removal = await untilReported(own, body.key)
    expect((await remove(removal)).status).toBe(201)
    await untilUsed(bearer, 0)
    // The room is given back a moment after the image has left the account's count.
    await until(async () => (await send(late as never, png(1_000))).status === 201)
    await untilUsed(bearer, cap)
  })

  it('[IM-009][IM-016] is that of who uploads, a seat’s being its sponsor’s', async () => {
    const member = await addMember(system, own, 'contributor')
    const seat = await addSeat(system, own, { link: { sponsor_email: member.account.email } })
    const theirs = accountApi(system.gateway, member.token)
    const [byMember, bySeat] = [api(system.gateway, { ...member.headers }), api(system.gateway, { ...seat.headers })]
    await addCounted(byMember, theirs, 600)
    await addCounted(bySeat, theirs, 400)
    for (const by of [byMember, bySeat]) expectRefusal(await ask(by), 403, 'storage_full', null)
    expect(await storageOf(bearer)).toEqual({ used: 0, cap })
    expect((await imageTicket(own)).max_bytes).toBe(cap)
    // The sponsor’s images are no less its own in a world of its own.
    const { key } = await createWorld(system, member.token)
    expectRefusal(await ask(api(system.gateway, { 'API-Key': key, 'API-Pin': member.pin })), 403, 'storage_full', null)
  })

  it('[IM-016] is given back by a deleted world, and its images are gone', async () => {
    const other = await newSecond()
    const { url } = await addCounted(other, bearer, 600)
    await addCounted(own, bearer, 100)
    expectBody(await bearer.delete(`/api/v2/account/worlds/${other.world}`), 204)
    await untilUsed(bearer, 100)
    await until(async () => !(await isServed(url)))
    await until(async () => (await keysIn(bucketOf(system), `u/${other.world}/`)).length === 0)
    expect((await imageTicket(own)).max_bytes).toBe(900)
  })

  it('[AC-021][IM-016] ends with the account: its images go, in the worlds of others too', async () => {
    const member = await addMember(system, own, 'contributor')
    const theirs = accountApi(system.gateway, member.token)
    const gone = await addCounted(api(system.gateway, { ...member.headers }), theirs, 100)
    const kept = await addCounted(own, bearer, 100)
    expectBody(await theirs.delete('/api/v2/account'), 204)
    await until(async () => !(await isServed(gone.url)))
    expect(await isServed(kept.url)).toBe(true)
    expect(await storageOf(bearer)).toEqual({ used: 100, cap })
  })
})

it('[IM-016] an account has 1 GB where nothing else is said', async () => {
  const plain = await startSystem({ files: true })
  try {
    const owner = await newOwner(plain)
    expect(await storageOf(accountApi(plain.gateway, owner.token))).toEqual({ used: 0, cap: 1_073_741_824 })
  } finally {
    await plain.stop()
  }
})

describe('the image tickets of a day', () => {
  const untilMidnight = () => Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000)

  async function expectUsedUp(by: Api): Promise<void> {
    const reply = await ask(by)
    expectRefusal(reply, 429, 'quota_exceeded', null)
    const wait = Number(reply.headers.get('retry-after'))
    expect(Number.isInteger(wait)).toBe(true)
    expect(Math.abs(wait - untilMidnight())).toBeLessThanOrEqual(2)
  }

  it('[IM-010] are counted when granted, used or not, by world, until the day is over', async () => {
    const member = await addMember(system, own, 'guest')
    const by = api(system.gateway, { ...member.headers })
    expect((await own.post('/api/v2/media/ticket', { x: 1 })).status).toBe(422)
    expect((await api(system.gateway, { 'API-Key': own.key }).post('/api/v2/media/ticket')).status).toBe(401)
    await addImage(own)
    for (let n = 0; n < 11; n += 1) await imageTicket(n % 2 === 0 ? own : by)
    await expectUsedUp(own)
    await expectUsedUp(by)
    await imageTicket(await newSecond())
  })

  it('[IM-010] are not those of files', async () => {
    const { id } = await own.make('location')
    for (let n = 0; n < 12; n += 1) await imageTicket(own)
    await expectUsedUp(own)
    const body: Body = { name: 'a.txt', kind: 'txt', size: 1 }
    expectBody(await own.post(`/api/v2/location/${id}/files`, body), 201)
  })

  it('[IM-009][IM-010] are looked at after the storage, and what that refuses takes none', async () => {
    await addCounted(own, bearer, 1_000)
    for (let n = 0; n < 20; n += 1) expectRefusal(await ask(own), 403, 'storage_full', null)
    const member = await addMember(system, own, 'guest')
    const by = api(system.gateway, { ...member.headers })
    for (let n = 0; n < 11; n += 1) await imageTicket(by)
    await expectUsedUp(by)
    expectRefusal(await ask(own), 403, 'storage_full', null)
  })

  it('[IM-010] are not taken by removals', async () => {
    await addCounted(own, bearer, 64)
    for (let n = 0; n < 20; n += 1) {
      expect((await removalTicket(own, `u/${randomUUID()}/a.png`)).status).toBe(404)
    }
    for (let n = 0; n < 11; n += 1) await imageTicket(own)
    await expectUsedUp(own)
  })
})
