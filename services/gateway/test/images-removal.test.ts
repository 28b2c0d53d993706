import { randomUUID } from 'node:crypto'
import { type Api, api } from '@worlds/testkit/api'
import { addMember, mintReadKey } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { addImage, ask, bucketOf, fileTicket, imageTicket, keysIn, png, send, untilReported } from './files-support'
import { accountApi } from './hostile-table'
import { addCounted, isServed, removalTicket, remove, untilUsed } from './images-support'
import { expectBody, expectRefusal, newOwner, type Owner } from './support'
import { expectHostRefusal } from './uploads-support'

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

describe('a removal ticket', () => {
  it('[IM-003] is told whole', async () => {
    const { key } = await addCounted(own, bearer)
    const before = Math.floor(Date.now() / 1000)
    const body = expectBody(await removalTicket(own, key), 200)
    const after = Math.ceil(Date.now() / 1000)
    const remove_url = system.uploadUrl.replace(/upload$/, 'remove')
    expect(body).toEqual({ ticket: expect.stringMatching(/./), remove_url, exp: body.exp, key, referenced: false })
    expect(Number.isInteger(body.exp)).toBe(true)
    expect(body.exp).toBeGreaterThanOrEqual(before + 600)
    expect(body.exp).toBeLessThanOrEqual(after + 600)
  })

  it.each<[string, string | object | undefined, string | null]>([
    ['nothing', undefined, null],
    ['no JSON', '{', null],
    ['a list', '[]', null],
    ['no key', {}, 'key'],
    ['null', { key: null }, 'key'],
    ['a number', { key: 7 }, 'key'],
    ['a list of keys', { key: ['a'] }, 'key'],
    ['another field', { key: 'a', url: 'b' }, 'url'],
    ['a bad key before another field', '{"key":7,"url":"b"}', 'key'],
  ])('[IM-003] is refused with %s', async (_title, body, param) => {
    expectRefusal(await own.post('/api/v2/media/remove-ticket', body), 422, 'invalid_request', param)
  })

  it.each<[string, () => string]>([
    ['empty', () => ''],
    ['of another world', () => `u/${randomUUID()}/a.png`],
    ['of a file', () => `w/${own.world}/a.png`],
    ['an address', () => `${system.filesUrl}/u/${own.world}/a.png`],
    ['in capitals', () => `u/${own.world}/A.png`],
    ['with a space', () => `u/${own.world}/a b.png`],
    ['too long', () => `u/${own.world}/${'x'.repeat(200)}.png`],
    ['with a NUL', () => `u/${own.world}/a\0.png`],
  ])('[IM-003][IM-006] finds nothing under a key that can be none: %s', async (_title, keyOf) => {
    await imageTicket(own)
    expectRefusal(await removalTicket(own, keyOf()), 404, 'not_found')
  })

  it('[IM-003] is given for images of this world alone, uploaded with a ticket', async () => {
    const other = await newOwner(system)
    const { key } = await addCounted(other, accountApi(system.gateway, other.token))
    expectRefusal(await removalTicket(own, key), 404, 'not_found')
    expectRefusal(await removalTicket(own, `u/${own.world}/never.png`), 404, 'not_found')
    const smuggled = `u/${own.world}/smuggled.png`
    await bucketOf(system).mark(smuggled, {})
    expectRefusal(await removalTicket(own, smuggled), 404, 'not_found')
  })

  it('[IM-003][AU-006] needs a write key and its PIN, before the body is looked at', async () => {
    const { key } = await addCounted(own, bearer)
    const reader = api(system.gateway, { 'API-Key': await mintReadKey(system, own.world, own.token) })
    expectRefusal(await removalTicket(reader, key), 403, 'permission_error', null)
    expectRefusal(await removalTicket(reader, 7), 403, 'permission_error', null)
    for (const pin of [{}, { 'API-Pin': '9999' }] as Record<string, string>[]) {
      const reply = await removalTicket(api(system.gateway, { 'API-Key': own.key, ...pin }), 7)
      expectRefusal(reply, 401, 'invalid_credentials', null)
    }
    expectRefusal(await own.post('/api/v2/media/remove-ticket?as=public', { key }), 422, 'invalid_request', 'as')
    expectBody(await own.post('/api/v2/media/remove-ticket/', { key }), 200)
  })

  it('[IM-004][IM-005] is the only one for its image while it is unspent', async () => {
    const { key } = await addCounted(own, bearer)
    expectBody(await removalTicket(own, key), 200)
    const reply = await removalTicket(own, key)
    expectRefusal(reply, 409, 'removal_in_flight')
    const wait = Number(reply.headers.get('retry-after'))
    expect(Number.isInteger(wait)).toBe(true)
    expect(wait).toBeLessThanOrEqual(600)
    expect(wait).toBeGreaterThan(580)
    const { key: other } = await addCounted(own, bearer)
    expectBody(await removalTicket(own, other), 200)
  })

  it('[IM-006][IM-007] waits for an upload that may be under way, of this world’s images alone', async () => {
    const key = `u/${own.world}/soon.png`
    const other = await newOwner(system)
    await imageTicket(other)
    await fileTicket(own, 'location', (await own.make('location')).id)
    expectRefusal(await removalTicket(own, key), 404, 'not_found')
    const ticket = await imageTicket(own)
    const reply = await removalTicket(own, key)
    expectRefusal(reply, 409, 'upload_pending')
    expect(reply.headers.get('retry-after')).toBe('2')
    expect((await send(ticket as never, png(), { 'X-Key': key })).status).toBe(201)
    expect((await untilReported(own, key)).key).toBe(key)
    expectRefusal(await removalTicket(own, `u/${own.world}/never.png`), 404, 'not_found')
  })
})

describe('a removal', () => {
  it('[IM-001][IM-003] takes the image away, and gives its room back', async () => {
    const { key, url } = await addCounted(own, bearer, 300)
    const kept = await addCounted(own, bearer, 200)
    const removal = expectBody(await removalTicket(own, key), 200)
    expect(await isServed(url)).toBe(true)
    const { status, body, headers } = await remove(removal)
    expect([status, body]).toEqual([201, { removed: true, key, bytes: 300 }])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect([await isServed(url), await isServed(kept.url)]).toEqual([false, true])
    expect(await keysIn(bucketOf(system), key)).toEqual([])
    await untilUsed(bearer, 200)
    expectHostRefusal(await remove(removal), 401, 'ticket_used')
  })

  it('[IM-001][IM-006] is for good: the key is neither found nor taken again', async () => {
    const key = `u/${own.world}/mine.png`
    const chosen = await addCounted(own, bearer, 64, { 'X-Key': key })
    const minted = await addCounted(own, bearer)
    for (const { key: gone } of [chosen, minted]) {
      expect((await remove(expectBody(await removalTicket(own, gone), 200))).status).toBe(201)
    }
    await untilUsed(bearer, 0)
    const ticket = await imageTicket(own)
    for (const { key: gone, url } of [chosen, minted]) {
      expectRefusal(await removalTicket(own, gone), 404, 'not_found')
      expectHostRefusal(await send(ticket as never, png(), { 'X-Key': gone }), 409, 'exists')
      expect(await isServed(url)).toBe(false)
    }
    expect((await send(ticket as never, png(), { 'X-Key': `u/${own.world}/other.png` })).status).toBe(201)
  })

  it('[IM-001][UP-024][UP-025][UP-031] asks for its ticket as an upload does', async () => {
    const { key, url } = await addCounted(own, bearer)
    const removal = expectBody(await removalTicket(own, key), 200)
    const { remove_url, ticket } = removal
    expectHostRefusal(await ask(remove_url, { method: 'POST' }), 401, 'ticket_required')
    expectHostRefusal(
      await ask(remove_url, { method: 'POST', headers: { Authorization: `Basic ${ticket}` } }),
      401,
      'ticket_required',
    )
    expectHostRefusal(await remove({ remove_url, ticket: `${ticket.slice(0, -4)}AAAA` }), 401, 'ticket_invalid')
    expectHostRefusal(await ask(remove_url), 405, 'method_not_allowed')
    expectHostRefusal(await ask(`${remove_url}/`, { method: 'POST' }), 404, 'not_found')
    expect(await isServed(url)).toBe(true)
    expect((await remove({ remove_url, ticket })).status).toBe(201)
  })

  it('[IM-013] leaves what no ticket has put there', async () => {
    const { key } = await addCounted(own, bearer)
    const removal = expectBody(await removalTicket(own, key), 200)
    const bucket = bucketOf(system)
    await bucket.remove(key)
    await bucket.mark(key, {})
    expectHostRefusal(await remove(removal), 403, 'not_removable')
    expect(await keysIn(bucket, key)).toEqual([key])
  })

  it('[IM-001] is its holder’s until it expires, whatever becomes of the holder', async () => {
    const member = await addMember(system, own, 'contributor')
    const { key, url } = await addCounted(by(member), accountApi(system.gateway, member.token))
    const removal = expectBody(await removalTicket(by(member), key), 200)
    expectBody(await bearer.delete(`/api/v2/account/worlds/${own.world}/members/${member.membership}`), 204)
    expect((await remove(removal)).status).toBe(201)
    expect(await isServed(url)).toBe(false)
  })
})

describe('what waits for a ticket’s time', () => {
  let brief: System
  let owner: Owner
  beforeAll(async () => {
    brief = await startSystem({ files: true, env: { file: { TICKET_LIFE_MS: '2000' } } })
    owner = await newOwner(brief)
  })
  afterAll(() => brief.stop())

  it('[IM-008] an upload is pending while a ticket is open, and no longer', async () => {
    const key = `u/${owner.world}/late.png`
    const asked = Date.now()
    const { exp } = await imageTicket(owner)
    expectRefusal(await removalTicket(owner, key), 409, 'upload_pending')
    await until(async () => (await removalTicket(owner, key)).status !== 409)
    expect(Date.now() - asked).toBeGreaterThanOrEqual(1_900)
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000 - 1_100)
    expectRefusal(await removalTicket(owner, key), 404, 'not_found')
  })

  it('[IM-004][IM-005] another removal ticket is given when the first has expired, which Retry-After tells', async () => {
    const image = await addImage(owner)
    const first = await untilReported(owner, image.key)
    const reply = await removalTicket(owner, image.key)
    const wait = Number(reply.headers.get('retry-after'))
    const refused = Date.now()
    expect([reply.status, [1, 2, 3].includes(wait)]).toEqual([409, true])
    await until(() => Date.now() - refused >= wait * 1000)
    const second = expectBody(await removalTicket(owner, image.key), 200)
    await until(() => Date.now() >= first.exp * 1000)
    expectHostRefusal(await remove(first), 401, 'ticket_expired')
    expect(second.exp).toBeGreaterThan(first.exp)
    expect(await isServed(image.url)).toBe(true)
  })
})
