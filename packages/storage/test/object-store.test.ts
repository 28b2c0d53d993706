import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ObjectStore, type ObjectStoreConfig } from '@worlds/storage/object-store'
import { s3rverAccess, versityAccess } from '@worlds/testkit/s3-access'
import { testServers } from '@worlds/testkit/test-servers'
import { findVersitygw, startVersitygw } from '@worlds/testkit/versitygw'

const common = { region: 'us-east-1', pathStyle: true, createBucket: true, timeoutMs: 2_000 }

interface Server {
  readonly config: ObjectStoreConfig
  readonly countsBytes: boolean
  stop(): Promise<void>
}

const bucket = () => `test-${randomBytes(6).toString('hex')}`

/** Ignores If-None-Match, so it is asked before each put. */
async function startS3rver(): Promise<Server> {
  return {
    config: { ...common, ...s3rverAccess(testServers().s3Endpoint), bucket: bucket() },
    countsBytes: false,
    stop: async () => undefined,
  }
}

async function startVersity(binary: string): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'worlds-versity-'))
  const server = await startVersitygw(binary, directory)
  return {
    config: { ...common, ...versityAccess(server.endpoint), bucket: bucket() },
    countsBytes: true,
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const versity = findVersitygw()
const servers: [name: string, start: () => Promise<Server>][] = [['s3rver', startS3rver]]
if (versity !== null) servers.push(['versitygw', () => startVersity(versity)])

describe.each(servers)('the object store over %s', (_name, start) => {
  let server: Server
  let store: ObjectStore
  beforeAll(async () => {
    server = await start()
    store = new ObjectStore(server.config)
    await store.prepare()
  })
  afterAll(async () => {
    store.close()
    await server.stop()
  })

  const never = new AbortController().signal
  const put = (key: string, bytes: Buffer, metadata: Record<string, string> = {}) =>
    store.put({ key, body: bytes, bytes: bytes.length, type: 'text/plain', metadata })

  it('is prepared once more without harm', async () => {
    await expect(store.prepare()).resolves.toBeUndefined()
  })

  it('gives back what was put, with its type and metadata', async () => {
    const bytes = randomBytes(100_000)
    const etag = await put('w/a/b/c.txt', bytes, { token: 't1', ticket: 'x' })
    expect(etag).toMatch(/^[0-9a-f]{32}$/)
    const facts = { bytes: bytes.length, etag, type: 'text/plain', metadata: { token: 't1', ticket: 'x' } }
    expect(await store.head('w/a/b/c.txt')).toMatchObject(facts)
    const found = await store.get('w/a/b/c.txt', null, never)
    expect(found).toMatchObject(facts)
    expect((await buffer(found?.body as Readable)).equals(bytes)).toBe(true)
  })

  it('takes a stream of known length as it is', async () => {
    const bytes = randomBytes(3_000_000)
    const body = Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)])
    await store.put({ key: 'stream', body, bytes: bytes.length, type: 'text/plain', metadata: {} })
    const found = await store.get('stream', null, never)
    expect((await buffer(found?.body as Readable)).equals(bytes)).toBe(true)
  })

  it('never puts over what is there', async () => {
    await put('taken', Buffer.from('first'), { token: 'first' })
    expect(await put('taken', Buffer.from('second'), { token: 'second' })).toBeNull()
    expect(await store.head('taken')).toMatchObject({ bytes: 5, metadata: { token: 'first' } })
  })

  it('gives a part of what is there', async () => {
    await put('digits', Buffer.from('0123456789'))
    const found = await store.get('digits', { first: 3, last: 5 }, never)
    expect((await buffer(found?.body as Readable)).toString()).toBe('345')
  })

  it('marks a key whatever was there', async () => {
    await store.mark('marks/a', { key: 'u/1.png' })
    await store.mark('marks/a', { key: 'u/2.png' })
    expect(await store.head('marks/a')).toMatchObject({ bytes: 0, metadata: { key: 'u/2.png' } })
  })

  it('knows what is absent, before and after it was removed', async () => {
    expect(await store.head('none')).toBeNull()
    expect(await store.get('none', null, never)).toBeNull()
    await expect(store.remove('none')).resolves.toBeUndefined()
    await put('gone', Buffer.from('x'))
    await store.remove('gone')
    expect(await store.head('gone')).toBeNull()
    expect(await put('gone', Buffer.from('y'))).not.toBeNull()
  })

  it('lists by prefix in the order of keys, page by page', async () => {
    for (const name of ['c', 'a', 'b']) await put(`list/${name}`, Buffer.from(name))
    await put('listed-elsewhere', Buffer.from('x'))
    expect(await store.list('list/', '', 2)).toEqual([
      { key: 'list/a', bytes: 1 },
      { key: 'list/b', bytes: 1 },
    ])
    expect(await store.list('list/', 'list/b', 2)).toEqual([{ key: 'list/c', bytes: 1 }])
    expect(await store.list('nothing/', '', 2)).toEqual([])
  })

  it('stores nothing of a put that is given up on the way', async () => {
    const body = new Readable({ read: () => undefined })
    body.push(randomBytes(1_000))
    const metadata = { token: 'half' }
    const half = store.put({ key: 'half', body, bytes: 1_000_000, type: 'text/plain', metadata }, 200)
    await expect(half).rejects.toMatchObject({ name: 'TimeoutError' })
    const found = await store.head('half')
    // s3rver keeps what had come, though as nobody's: it does not look at how much was announced.
    if (server.countsBytes) expect(found).toBeNull()
    else expect(found?.metadata.token).toBeUndefined()
  })
})

describe('an object store that fails', () => {
  it('is not waited for any longer than it may take', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const keys = { accessKeyId: 'a', secretAccessKey: 'b', bucket: 'b', conditionalPuts: true }
    const store = new ObjectStore({ ...common, ...keys, endpoint, timeoutMs: 50 }, { putMs: 50 })
    await expect(store.head('k')).rejects.toThrow()
    const object = { key: 'k', body: Buffer.from('x'), bytes: 1, type: 'text/plain', metadata: {} }
    const tooLate = { name: 'TimeoutError' }
    await expect(store.put(object)).rejects.toMatchObject(tooLate)
    await expect(store.put(object, 20)).rejects.toMatchObject(tooLate)
    store.close()
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
  })

  it.each([500, 403, 503])('throws what was answered with %i', async (status) => {
    const broken = createServer((_request, response) => response.writeHead(status).end())
    await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
    const keys = { accessKeyId: 'a', secretAccessKey: 'b' }
    const store = new ObjectStore({ ...common, ...keys, endpoint, bucket: 'b', conditionalPuts: true })
    const never = new AbortController().signal
    const object = { key: 'k', body: Buffer.from('x'), bytes: 1, type: 'text/plain', metadata: {} }
    await expect(store.put(object)).rejects.toThrow()
    await expect(store.head('k')).rejects.toThrow()
    await expect(store.get('k', null, never)).rejects.toThrow()
    await expect(store.remove('k')).rejects.toThrow()
    store.close()
    await new Promise((resolve) => broken.close(resolve))
  })
})
