/** An object store that fails, stalls or is cut: nothing is promised that is not there, and nothing hangs. */
import { Agent, get, type IncomingMessage } from 'node:http'
import { type System, startSystem } from '@worlds/testkit/system'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { type Books, brisk, gateway, openBooks, soon } from './faults-files-support'
import { FaultyStore, type StoreFault } from './faulty-store'
import { addFile, ask, fileTicket, imageTicket, keysIn, png, send, untilReported } from './files-support'
import { type Body, newOwner, type Owner } from './support'

const store = new FaultyStore(testServers().s3Endpoint)
const large = Buffer.alloc(3_000_000, 'x')

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  await store.start()
  const env = { gateway, file: { ...soon, S3_TIMEOUT_MS: '1000' }, 'upload-host': brisk }
  system = await startSystem({ files: true, s3Endpoint: store.endpoint, env })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
  store.heal()
  await system.stop()
  await store.stop()
})
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterEach(() => {
  store.heal()
  store.release()
})

const ticketOf = (size: number) => fileTicket(own, 'location', place, { size })
const notPut: [string, StoreFault][] = [
  ['that is answered with 500', { status: 500 }],
  ['that is answered with 503', { status: 503 }],
  ['that is answered with 403', { status: 403 }],
  ['that is never answered', 'stall'],
  ['that is cut in the middle of its body', 'cut'],
]
const writeFailed = { status: 502, body: { error: 'write_failed' } }

describe.each(notPut)('a put %s', (_title, fault) => {
  it.each([
    ['small', Buffer.from('hello')],
    ['large', large],
  ])('[UP-039][UP-040] stores nothing of a %s file, and its ticket is good', async (_size, bytes) => {
    const ticket = await ticketOf(bytes.length)
    store.fail('PUT', fault)
    const { status, body } = await send(ticket, bytes)
    expect({ status, body }).toEqual(writeFailed)
    store.heal()
    await books.settled(own, [], 0)
    expect((await send(ticket, bytes)).status).toBe(201)
    await books.settled(own, [ticket.file_id], bytes.length)
  })

  it.each([
    ['the image', /\/u\//],
    ['its pointer', /\/pointers\//],
  ])('[UP-039][UP-040] of %s stores no image, and its ticket is good', async (_what, key) => {
    const ticket = await imageTicket(own)
    const headers = { 'X-Key': `${ticket.prefix}a.png` }
    // A put without a body has no middle.
    const kind = fault === 'cut' && key.test('/pointers/') ? { status: 500 } : fault
    store.fail('PUT', kind, Number.POSITIVE_INFINITY, key)
    const { status, body } = await send(ticket, png(90), headers)
    expect({ status, body }).toEqual(writeFailed)
    store.heal()
    expect(await books.imageSides(own)).toMatchObject({ rows: [], stored: [], used: 0, room: 0 })
    expect((await send(ticket, png(90), headers)).status).toBe(201)
    await books.imagesSettled(own, [headers['X-Key']], 90)
  })
})

describe('a put whose answer is lost', () => {
  it.each([
    ['small', Buffer.from('hello')],
    ['large', large],
  ])('is a 201 of a %s file, and listed', async (_size, bytes) => {
    const ticket = await ticketOf(bytes.length)
    store.fail('PUT', 'lost')
    const { status, body } = await send(ticket, bytes)
    expect([status, body.bytes]).toEqual([201, bytes.length])
    expect(body.etag).toMatch(/^[0-9a-f]{32}$/)
    store.heal()
    await books.settled(own, [ticket.file_id], bytes.length)
  })

  it('is a 201 of an image under a key of its choice', async () => {
    const ticket = await imageTicket(own)
    const key = `${ticket.prefix}a.png`
    store.fail('PUT', 'lost', Number.POSITIVE_INFINITY, /\/u\//)
    expect((await send(ticket, png(90), { 'X-Key': key })).status).toBe(201)
    store.heal()
    await books.imagesSettled(own, [key], 90)
  })

  it('before a store that is away: nobody is promised anything, and the rounds find it', async () => {
    const ticket = await ticketOf(large.length)
    store.fail('PUT', 'lost')
    // Where a put is not conditional the store is asked first.
    store.fail('HEAD', 'none', 1)
    store.fail('HEAD', { status: 500 })
    const { status, body } = await send(ticket, large)
    expect({ status, body }).toEqual(writeFailed)
    store.heal()
    await books.hurry()
    await books.settled(own, [ticket.file_id], large.length)
  })
})

it.each([500, 503, 409, 429])('[UP-039] a store that answers %i once costs nobody anything', async (status) => {
  const ticket = await ticketOf(large.length)
  store.fail('PUT', { status }, 1)
  expect((await send(ticket, large)).status).toBe(201)
  await books.settled(own, [ticket.file_id], large.length)
})

describe('a download', () => {
  const linkOf = async (bytes: Buffer) => {
    const { id } = await addFile(own, 'location', place, { size: bytes.length }, bytes)
    return { id, url: (await own.get(`/api/v2/location/${place}/files/${id}/download`)).body.url as string }
  }

  it.each(notPut.slice(0, 4))(
    'from a store with a get %s is 502, and its connection serves on',
    async (_title, fault) => {
      const { url } = await linkOf(Buffer.from('hello'))
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      store.fail('GET', fault)
      const failed = await fetched(agent, url)
      expect([failed.status, JSON.parse(failed.text)]).toEqual([502, { error: 'unavailable' }])
      store.heal()
      const good = await fetched(agent, url)
      expect([good.status, good.text]).toEqual([200, 'hello'])
      expect(good.port).toBe(failed.port)
      agent.destroy()
    },
  )

  it('that the store cuts short is broken for the client, never short', async () => {
    const { url } = await linkOf(large)
    store.fail('GET', 'half', 1)
    const response = await fetch(url)
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(large.length)])
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect((await ask(url)).bytes).toHaveLength(large.length)
  })

  it('of an image that the store cuts short is broken too', async () => {
    const ticket = await imageTicket(own)
    const { body } = await send(ticket, png(2_000_000))
    store.fail('GET', 'half', 1)
    await expect(fetch(body.url).then((response) => response.arrayBuffer())).rejects.toThrow()
    expect((await ask(body.url)).bytes).toHaveLength(2_000_000)
  })

  it('[FL-024][FL-025] has no bytes from the removal on, though the store is away', async () => {
    const { id, url } = await linkOf(Buffer.from('hello'))
    store.fail('DELETE', { status: 503 })
    expect((await own.delete(`/api/v2/location/${place}/files/${id}`)).status).toBe(204)
    expect(await books.sides(own)).toMatchObject({ listed: [], stored: [id], used: 0, doomed: 1 })
    expect(await ask(url)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await own.delete(`/api/v2/location/${place}/files/${id}`)).status).toBe(404)
    store.heal()
    await books.settled(own, [], 0)
  })
})

describe('the removal of an image', () => {
  it.each<[string, string, StoreFault]>([
    ['looked at', 'HEAD', { status: 500 }],
    ['marked', 'PUT', { status: 500 }],
    ['deleted', 'DELETE', { status: 500 }],
    ['deleted in time', 'DELETE', 'stall'],
  ])('[IM-014][IM-015] that cannot be %s is 502, and its ticket is good', async (_title, method, fault) => {
    const { key, url, removal } = await removable()
    store.fail(method, fault)
    expect(await remove(removal)).toMatchObject({ status: 502, body: { error: 'remove_failed' } })
    store.heal()
    expect((await ask(url)).status).toBe(200)
    expect(await books.imageSides(own)).toMatchObject({ rows: [key], stored: [key], used: 90, counted: 90 })
    expect(await remove(removal)).toMatchObject({ status: 201, body: { removed: true, key, bytes: 90 } })
    await books.imagesSettled(own, [], 0)
    expect((await ask(url)).status).toBe(404)
  })

  it('that was deleted and not answered is told all the same', async () => {
    const { removal } = await removable()
    store.fail('DELETE', 'lost', 1)
    expect((await remove(removal)).status).toBe(201)
    await books.imagesSettled(own, [], 0)
  })

  it('never lets its key be taken by an upload that is under way', async () => {
    const { key, removal } = await removable()
    const ticket = await imageTicket(own)
    await until(async () => (await books.redis.keys(`${system.redisPrefix}:object:*`)).length === 0)
    // The upload has seen that the key was not removed, and is about to look whether it is taken.
    store.fail('PUT', 'hold', 1, /\/pointers\//)
    const uploading = send(ticket, png(91), { 'X-Key': key })
    await until(() => store.heldRequests === 1)
    const first = await remove(removal)
    store.release()
    const { status } = await uploading
    if (first.status !== 201) expect((await remove(removal)).status).toBe(201)
    expect(status).toBe(409)
    await books.hurry()
    await books.imagesSettled(own, [], 0)
    expect(await keysIn(books.bucket, `removed/${key}`)).toEqual([`removed/${key}`])
  })

  const remove = (removal: Body) => send({ ...removal, upload_url: removal.remove_url }, '')
  async function removable(): Promise<{ key: string; url: string; removal: Body }> {
    const ticket = await imageTicket(own)
    const { body } = await send(ticket, png(90), { 'X-Key': `${ticket.prefix}a.png` })
    await books.imagesSettled(own, [body.key], 90)
    return { key: body.key, url: body.url, removal: await untilReported(own, body.key) }
  }
})

function fetched(agent: Agent, url: string): Promise<{ status: number; text: string; port: number | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, async (incoming: IncomingMessage) => {
      const port = incoming.socket.localPort
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
      resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString(), port })
    }).on('error', reject)
  })
}
