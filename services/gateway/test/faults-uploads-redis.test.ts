/** Redis that is away, or has lost what it knew: the rows and the objects say it again, and no promise is broken. */
import { type System, startSystem } from '@worlds/testkit/system'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { type Books, cap, gateway, largest, openBooks, soon } from './faults-files-support'
import { FaultyStore } from './faulty-store'
import { addFile, askTicket, fileTicket, type HostReply, imageTicket, jpeg, png, send, statusOf } from './files-support'
import { pausedQueue } from './queue-support'
import { type Body, expectRefusal, newOwner, type Owner } from './support'
import { redisProxy } from './tcp-proxy'

const proxy = redisProxy()
const store = new FaultyStore(testServers().s3Endpoint)
const text = 'twelve bytes'

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  await Promise.all([proxy.join(), store.start()])
  const REDIS_URL = `redis://127.0.0.1:${proxy.port}`
  const host = {
    UPLOAD_BODY_MS: '20000',
    UPLOAD_PUT_MS: '10000',
    UPLOAD_LEASE_MS: '4000',
    S3_TIMEOUT_MS: '10000',
    REDIS_URL,
  }
  const env = { gateway, file: { ...soon, REDIS_URL }, 'upload-host': host }
  system = await startSystem({ files: true, s3Endpoint: store.endpoint, env })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
  await system.stop()
  await store.stop()
  await proxy.cut()
})
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterEach(() => {
  store.heal()
  store.release()
})

const ticketOf = (size = text.length) => fileTicket(own, 'location', place, { size })
const worldRoom = () => books.room(`world:${own.world}`)
const unconfigured = '503 ticket_lane_unconfigured'

/** The first answer that does not say that Redis knows nothing. */
async function answerOf(sending: () => Promise<HostReply>): Promise<string> {
  let answer = unconfigured
  await until(async () => {
    answer = statusOf(await sending())
    return answer !== unconfigured
  })
  return answer
}

describe('Redis that was emptied', () => {
  it('while a ticket was open delays its use for a moment', async () => {
    const kept = await addFile(own, 'location', place, { size: text.length }, text)
    const ticket = await ticketOf()
    await books.empty()
    expect(statusOf(await send(ticket, text))).toBe(unconfigured)
    expect(await answerOf(() => send(ticket, text))).toBe('201')
    await books.settled(own, [kept.id, ticket.file_id], 2 * text.length)
  })

  it('while an image’s ticket was open delays its use for a moment', async () => {
    const ticket = await imageTicket(own)
    await books.empty()
    expect(statusOf(await send(ticket, png()))).toBe(unconfigured)
    expect(await answerOf(() => send(ticket, png()))).toBe('201')
    await books.imagesSettled(own, (await books.imageSides(own)).stored, png().length)
  })

  it.each(['listed', 'not reported yet'])('leaves a spent ticket unusable, its file %s', async (what) => {
    const queue = pausedQueue(system, 'file-stored')
    if (what !== 'listed') await queue.pause()
    const ticket = await ticketOf()
    const image = await imageTicket(own)
    expect((await send(ticket, text)).status).toBe(201)
    const { body } = await send(image, png(90), { 'X-Key': `${image.prefix}a.png` })
    if (what === 'listed') {
      await books.settled(own, [ticket.file_id], text.length)
      await books.imagesSettled(own, [body.key], 90)
    }
    await books.empty()
    expect(await answerOf(() => send(ticket, 'another text'))).toBe('409 exists')
    for (const headers of [{}, { 'X-Key': `${image.prefix}b.png` }, { 'X-Key': body.key }]) {
      expect(await answerOf(() => send(image, png(70), headers as Record<string, string>))).toBe('409 exists')
    }
    expect(await answerOf(() => send(image, jpeg(70)))).toBe('409 exists')
    await books.hurry()
    await books.settled(own, [ticket.file_id], text.length)
    await books.imagesSettled(own, [body.key], 90)
    await queue.close()
  })

  it('leaves a spent ticket unusable when its file was deleted since', async () => {
    const ticket = await ticketOf()
    expect((await send(ticket, text)).status).toBe(201)
    await books.settled(own, [ticket.file_id], text.length)
    expect((await own.delete(`/api/v2/location/${place}/files/${ticket.file_id}`)).status).toBe(204)
    await books.settled(own, [], 0)
    await books.empty()
    expect(await answerOf(() => send(ticket, 'another text'))).toBe('409 exists')
    await books.settled(own, [], 0)
  })

  it('leaves nothing behind of an image whose ticket is used again after it was removed', async () => {
    const ticket = await imageTicket(own)
    const { body } = await send(ticket, png(90))
    await books.imagesSettled(own, [body.key], 90)
    const removal = (await own.post('/api/v2/media/remove-ticket', { key: body.key })).body
    expect((await send({ ...removal, upload_url: removal.remove_url }, '')).status).toBe(201)
    await books.imagesSettled(own, [], 0)
    await books.empty()
    await answerOf(() => send(ticket, png(90)))
    await answerOf(() => send(ticket, png(90), { 'X-Key': `${ticket.prefix}other.png` }))
    await books.hurry()
    await books.imagesSettled(own, [], 0)
  })

  it('while an upload waits for the store has it listed all the same', async () => {
    const ticket = await ticketOf()
    store.fail('PUT', 'hold', 1)
    const sending = send(ticket, text)
    await until(() => store.heldRequests === 1)
    await books.empty()
    store.release()
    expect(statusOf(await sending)).toBe('201')
    await books.settled(own, [ticket.file_id], text.length)
    expect(statusOf(await send(ticket, text))).toBe('401 ticket_used')
  })
})

describe('the cap of a world', () => {
  const chunk = Buffer.alloc(largest, 'x')
  const fill = async (count: number): Promise<string[]> => {
    const files = Array.from({ length: count }, () => addFile(own, 'location', place, { size: largest }, chunk))
    return (await Promise.all(files)).map(({ id }) => id)
  }

  it('[FL-080] holds when Redis is emptied, counting what is stored and not reported', async () => {
    const big = await fill(9)
    const [last, late] = [await ticketOf(largest), await ticketOf(1)]
    const queue = pausedQueue(system, 'file-stored')
    await queue.pause()
    expect((await send(last, chunk)).status).toBe(201)
    await books.empty()
    expect(await answerOf(() => send(late, 'x'))).toBe('413 too_large')
    expect(await worldRoom()).toBe(cap)
    await books.hurry()
    await books.settled(own, [...big, last.file_id], cap)
    await queue.close()
  })

  it('[FL-080][UP-040] holds when it is emptied while an upload waits for the store, and another takes its place', async () => {
    const big = await fill(9)
    const [held, other] = [await ticketOf(20_000_000), await ticketOf(10_000_000)]
    store.fail('PUT', 'hold', 1)
    const sending = send(held, chunk.subarray(0, 20_000_000))
    await until(() => store.heldRequests === 1)
    await books.empty()
    expect(await answerOf(() => send(other, chunk.subarray(0, 10_000_000)))).toBe('201')
    store.release()
    expect(statusOf(await sending)).toBe('502 write_failed')
    await books.settled(own, [...big, other.file_id], 9 * largest + 10_000_000)
    expect((await own.delete(`/api/v2/location/${place}/files/${other.file_id}`)).status).toBe(204)
    await until(async () => (await worldRoom()) === 9 * largest)
    expect(statusOf(await send(held, chunk.subarray(0, 20_000_000)))).toBe('201')
    await books.settled(own, [...big, held.file_id], 9 * largest + 20_000_000)
  })
})

describe('Redis that is away', () => {
  let isCut = false
  const cut = async () => {
    await proxy.cut()
    isCut = true
  }
  const join = async () => {
    if (isCut) await proxy.join()
    isCut = false
  }
  afterEach(async () => {
    proxy.resume()
    await join()
  })

  it('[UP-041] lets no upload in and issues no ticket, and both work when it is back', async () => {
    const ticket = await ticketOf()
    const rows = async () =>
      (await books.database.query('select count(*)::int as n from file.files where world_id = $1', [own.world])).rows[0]
    await cut()
    expect(statusOf(await send(ticket, text))).toBe(unconfigured)
    expectRefusal(await askTicket(own, 'location', place), 503, 'server_busy')
    expectRefusal(await own.post('/api/v2/media/ticket'), 503, 'server_busy')
    expect(await rows()).toEqual({ n: 1 })
    expect((await books.sides(own)).stored).toEqual([])
    await join()
    await until(async () => (await askTicket(own, 'location', place)).status === 201)
    expect(await answerOf(() => send(ticket, text))).toBe('201')
    await books.settled(own, [ticket.file_id], text.length)
  })

  it('[UP-039][UP-040] from the put on fails the upload, and leaves its ticket good', async () => {
    const ticket = await ticketOf()
    store.fail('PUT', 'hold', 1)
    const sending = send(ticket, text)
    await until(() => store.heldRequests === 1)
    await cut()
    store.release()
    expect(statusOf(await sending)).toBe('502 write_failed')
    expect((await books.sides(own)).stored).toEqual([])
    await join()
    await untilUsed(ticket)
    await books.settled(own, [ticket.file_id], text.length)
  })

  it('[UP-039][UP-040] too slow for the spend fails the upload, and leaves its ticket good', async () => {
    const ticket = await ticketOf()
    store.fail('PUT', 'hold', 1)
    const sending = send(ticket, text)
    await until(() => store.heldRequests === 1)
    proxy.stall()
    store.release()
    expect(statusOf(await sending)).toBe('502 write_failed')
    expect((await books.sides(own)).stored).toEqual([])
    proxy.resume()
    await untilUsed(ticket)
    await books.settled(own, [ticket.file_id], text.length)
  })

  /** The claim that could not be given back ends by itself. */
  async function untilUsed(ticket: Body): Promise<void> {
    let answer = ''
    await until(async () => {
      answer = statusOf(await send(ticket, text))
      return ![unconfigured, '409 exists'].includes(answer)
    })
    expect(answer).toBe('201')
  }
})
