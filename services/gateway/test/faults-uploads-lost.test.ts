/** Answers of Redis that are lost, and entries it has forgotten, while an upload is on its way. */
import { existsSync, writeFileSync } from 'node:fs'
import { roomKey } from '@worlds/storage/rooms'
import { type System, startSystem } from '@worlds/testkit/system'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { type Books, fuses, gateway, openBooks, slowUpload, soon } from './faults-files-support'
import { FaultyStore } from './faulty-store'
import { addFile, askTicket, fileTicket, type HostReply, imageTicket, png, send, statusOf } from './files-support'
import { type Body, newOwner, type Owner } from './support'
import { redisProxy } from './tcp-proxy'

const proxy = redisProxy()
const store = new FaultyStore(testServers().s3Endpoint)
const fuse = fuses()
const text = 'twelve bytes'

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  await Promise.all([proxy.join(), store.start()])
  const host = {
    UPLOAD_BODY_MS: '30000',
    UPLOAD_PUT_MS: '10000',
    // Longer than this file takes: what is given back is so because somebody does.
    UPLOAD_LEASE_MS: '120000',
    S3_TIMEOUT_MS: '10000',
    REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    FAILPOINTS: `upload.spent=wait:300@${fuse.path('spent')}`,
  }
  const env = { gateway, file: soon, 'upload-host': host }
  system = await startSystem({ files: true, s3Endpoint: store.endpoint, env })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
  await system.stop()
  await store.stop()
  await proxy.cut()
  fuse.remove()
})
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterEach(() => {
  store.heal()
  store.release()
})

const ticketOf = () => fileTicket(own, 'location', place, { size: text.length })
const ticketKey = (id: string) => `${system.redisPrefix}:ticket:{${own.world}}:${id}`
const stateOf = async (id: string) => (await books.redis.get(ticketKey(id)))?.split(':')[0] ?? 'free'
const isListed = async (ids: string[]) => books.settled(own, ids, ids.length * text.length)

/** Whether its ticket is as good as new, told by its use. */
async function isUsable(ticket: Body): Promise<void> {
  let answer = ''
  await until(async () => {
    answer = statusOf(await send(ticket, text))
    return answer !== '503 ticket_lane_unconfigured'
  })
  expect(answer).toBe('201')
}

describe('an answer of Redis that is lost', () => {
  const spend = async (ticket: Body): Promise<{ answer: Promise<HostReply> }> => {
    store.fail('PUT', 'hold', 1)
    const answer = send(ticket, text)
    await until(() => store.heldRequests === 1)
    proxy.stallAnswers()
    store.release()
    await until(async () => (await stateOf(ticket.file_id)) === 'spent')
    await proxy.cut()
    return { answer }
  }

  it('[UP-039] was that the ticket is spent: asked again, it is promised', async () => {
    const ticket = await ticketOf()
    const { answer } = await spend(ticket)
    await proxy.join()
    expect(statusOf(await answer)).toBe('201')
    await isListed([ticket.file_id])
    expect(statusOf(await send(ticket, text))).toBe('401 ticket_used')
  })

  it('[UP-040] was that the ticket is spent, by a Redis that stays away: once it is back the ticket is good', async () => {
    const ticket = await ticketOf()
    const { answer } = await spend(ticket)
    expect(statusOf(await answer)).toBe('502 write_failed')
    expect(await stateOf(ticket.file_id)).toBe('spent')
    expect((await books.sides(own)).stored).toEqual([])
    await proxy.join()
    await until(async () => (await stateOf(ticket.file_id)) === 'free')
    await isUsable(ticket)
    await isListed([ticket.file_id])
  })

  it('was that the ticket is claimed: it is given back, with its room', async () => {
    const ticket = await ticketOf()
    proxy.stallAnswers()
    const sending = send(ticket, text)
    await until(async () => (await stateOf(ticket.file_id)) === 'held')
    await proxy.cut()
    expect(statusOf(await sending)).toBe('503 ticket_lane_unconfigured')
    expect(await books.room(`world:${own.world}`)).toBe(text.length)
    await proxy.join()
    await until(async () => (await stateOf(ticket.file_id)) === 'free')
    await until(async () => (await books.room(`world:${own.world}`)) === 0)
    await isUsable(ticket)
    await isListed([ticket.file_id])
  })
})

it('[FL-022] a report that Redis was away for is made when it is back, long before anybody would look', async () => {
  const ticket = await ticketOf()
  writeFileSync(fuse.path('spent'), '')
  const sending = send(ticket, text)
  await until(() => !existsSync(fuse.path('spent')))
  await proxy.cut()
  expect(statusOf(await sending)).toBe('201')
  expect((await books.sides(own)).listed).toEqual([])
  await proxy.join()
  await isListed([ticket.file_id])
})

describe('a claim that Redis has forgotten', () => {
  const forget = (ticket: Body) => books.redis.del(ticketKey(ticket.file_id))

  it('while the body comes is had anew before the put', async () => {
    const ticket = await ticketOf()
    const upload = slowUpload(ticket, text.length)
    await until(async () => (await stateOf(ticket.file_id)) === 'held')
    await forget(ticket)
    await upload.write(text)
    upload.end()
    expect(statusOf(await upload.answer)).toBe('201')
    await isListed([ticket.file_id])
  })

  it('is not had anew where another has the ticket since', async () => {
    const ticket = await ticketOf()
    const first = slowUpload(ticket, text.length)
    await first.write('twelve')
    await until(async () => (await stateOf(ticket.file_id)) === 'held')
    await forget(ticket)
    const second = slowUpload(ticket, text.length)
    await second.write(text)
    second.end()
    await until(async () => (await stateOf(ticket.file_id)) !== 'free')
    await first.write(' bytes')
    first.end()
    const answers = [statusOf(await first.answer), statusOf(await second.answer)]
    expect(answers.sort()).toEqual(['201', '409 exists'])
    await isListed([ticket.file_id])
  })
})

describe('a room whose books are short', () => {
  const shorten = async (room: string, id: string) => {
    const key = `${system.redisPrefix}:${roomKey(room)}`
    const bytes = Number.parseInt((await books.redis.hget(key, id)) ?? '', 10)
    expect(await books.redis.hdel(key, id)).toBe(1)
    await books.redis.hincrby(key, 'total', -bytes)
  }

  it('of a world is made anew with its next ticket', async () => {
    const { id } = await addFile(own, 'location', place, { size: text.length }, text)
    const room = `world:${own.world}`
    await shorten(room, id)
    expect(await books.room(room)).toBe(0)
    const ticket = await ticketOf()
    expect(await books.room(room)).toBeNull()
    await isUsable(ticket)
    await isListed([id, ticket.file_id])
  })

  it('of an account is made anew with its next ticket', async () => {
    const first = await imageTicket(own)
    const { body } = await send(first, png())
    await books.imagesSettled(own, [body.key], png().length)
    const room = `account:${own.account.id}`
    await shorten(room, await imageId(body.key))
    expect(await books.room(room)).toBe(0)
    await imageTicket(own)
    expect(await books.room(room)).toBeNull()
    expect((await askTicket(own, 'location', place)).status).toBe(201)
    await until(async () => statusOf(await send(await imageTicket(own), png())) === '201')
    await until(async () => (await books.room(room)) === 2 * png().length)
  })

  const imageId = async (key: string) =>
    (await books.database.query('select id from file.images where key = $1', [key])).rows[0].id
})
