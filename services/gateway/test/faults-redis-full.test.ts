/** Redis at its `maxmemory` under `noeviction`: every command that needs memory is answered OOM. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, type ApiReply, api } from '@worlds/testkit/api'
import { type RedisServer, startRedis } from '@worlds/testkit/redis-server'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { createAccount, createWorld } from '@worlds/testkit/world'
import { Redis } from 'ioredis'
import { brisk, gateway, slowUpload, soon } from './faults-files-support'
import { askTicket, bucketOf, fileTicket, send, worldFiles } from './files-support'
import { type Body, expectBody, newOwner, type Owner } from './support'

const text = 'twelve bytes'
const half = text.length / 2
jest.setTimeout(120_000)

let dir: string
let server: RedisServer
let redis: Redis
let system: System
/** Of an account without a PIN, whose writes need no Redis. */
let own: Api
let place: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'worlds-redis-full-'))
  server = await startRedis({ dir, durable: false, say: () => undefined })
  redis = new Redis(server.url)
  const env = { gateway, file: { ...soon, FILE_TICKETS: '10000' }, 'upload-host': brisk }
  system = await startSystem({ files: true, redisUrl: server.url, env })
  const { token } = await createAccount(system)
  own = api(system.gateway, { 'API-Key': (await createWorld(system, token)).key })
  place = expectBody(await own.post('/api/v2/location', { name: 'Place' }), 201).id
})
afterAll(async () => {
  await system.stop()
  redis.disconnect()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

const fill = () => redis.config('SET', 'maxmemory', '1')
const empty = () => redis.config('SET', 'maxmemory', '0')
const isFull = () =>
  redis.set('probe', '1').then(
    () => false,
    (error: Error) => error.message.startsWith('OOM'),
  )

interface KeyedWrite {
  readonly key: string
  readonly name: string
  readonly reply: ApiReply
}

/** Every third reply is larger than what Redis keeps of one. */
function write(name: string, key: string): Promise<ApiReply> {
  const description = Number.parseInt(name.slice(-1), 16) % 3 === 0 ? 'd'.repeat(20_000) : ''
  return own.post('/api/v2/character', { name, description }, { 'Idempotency-Key': key })
}

/** Sends keyed writes one after another, each again until it is acknowledged, until `isOver`. */
async function writeUntil(isOver: () => boolean, into: KeyedWrite[]): Promise<void> {
  while (!isOver()) {
    const [key, name] = [randomUUID(), randomUUID()]
    let reply = await write(name, key)
    while (reply.status !== 201) reply = await write(name, key)
    into.push({ key, name, reply })
  }
}

/** Uploads files one after another, each by a ticket of its own, until `isOver`; keeps what was answered 201. */
async function uploadUntil(isOver: () => boolean, into: string[], refused: number[]): Promise<void> {
  while (!isOver()) {
    const ticket = await askTicket(own, 'location', place, { size: text.length })
    const status = ticket.status === 201 ? (await send(ticket.body, text)).status : ticket.status
    if (status === 201) into.push(ticket.body.file_id)
    else refused.push(status)
  }
}

async function allCharacters(): Promise<Body[]> {
  const found: Body[] = []
  for (let cursor = ''; ; ) {
    const page = expectBody(await own.get(`/api/v2/character?limit=200${cursor}`), 200)
    found.push(...page.data)
    if (!page.has_more) return found
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

describe('Redis that is full', () => {
  it('[ID-001][ID-005] loses no acknowledged write and no upload that was answered 201', async () => {
    const written: KeyedWrite[] = []
    const uploaded: string[] = []
    const refused: number[] = []
    let isOver = false
    const work = [
      ...Array.from({ length: 4 }, () => writeUntil(() => isOver, written)),
      ...Array.from({ length: 3 }, () => uploadUntil(() => isOver, uploaded, refused)),
    ]
    await until(() => written.length > 40 && uploaded.length > 10)
    const open = await Promise.all(
      Array.from({ length: 8 }, () => fileTicket(own, 'location', place, { size: text.length })),
    )
    const uploads = open.map((ticket) => ({ id: ticket.file_id, ...slowUpload(ticket, text.length) }))
    await Promise.all(uploads.map((upload) => upload.write(text.slice(0, half))))

    await fill()
    expect(await isFull()).toBe(true)
    const [before, during] = [written.length, uploads.slice(0, 4)]
    for (const upload of during) await upload.write(text.slice(half))
    const answered = await Promise.all(during.map(({ answer }) => answer))
    await until(() => written.length > before + 100 && refused.length > 20)
    expect(await isFull()).toBe(true)
    expect(new Set(refused)).toEqual(new Set(refused.filter((status) => status === 502 || status === 503)))
    await empty()

    for (const upload of uploads.slice(4)) await upload.write(text.slice(half))
    answered.push(...(await Promise.all(uploads.slice(4).map(({ answer }) => answer))))
    answered.forEach(({ status }, index) => {
      if (status === 201) uploaded.push(String(uploads[index]?.id))
    })
    const [writes, files] = [written.length, uploaded.length]
    await until(() => written.length > writes + 20 && uploaded.length > files + 10)
    isOver = true
    await Promise.all(work)

    await expectWritten(written)
    await expectListed(uploaded)
  })

  it('[AU-023] passes no PIN, right or wrong, and forgets no wrong one that was counted', async () => {
    const guarded = await newOwner(system)
    const guess = async (owner: Owner, pin = '9999') =>
      (await owner.post('/api/v2/character', { name: 'x' }, { 'API-Pin': pin })).status
    expect([await guess(guarded), await guess(guarded)]).toEqual([401, 401])
    await fill()
    const during = await Promise.all(Array.from({ length: 8 }, () => guess(guarded)))
    const right = await Promise.all(Array.from({ length: 8 }, () => guess(guarded, guarded.pin)))
    expect([...during, ...right].filter((status) => status !== 503 && status !== 429)).toEqual([])
    expect(await isFull()).toBe(true)
    await empty()
    const after: number[] = []
    while (after.at(-1) !== 429) after.push(await guess(guarded))
    expect(after.filter((status) => status === 401).length).toBeLessThanOrEqual(3)
  })
})

/** Each is there once, with what was answered, and its key replays that. */
async function expectWritten(written: readonly KeyedWrite[]): Promise<void> {
  const found = new Map<string, string[]>()
  for (const { id, name } of await allCharacters()) found.set(name, [...(found.get(name) ?? []), id])
  expect(found.size).toBe(written.length)
  for (const { name, reply } of written) expect(found.get(name)).toEqual([reply.body.id])
  for (const { name, key, reply } of written.slice(0, 200)) {
    const again = await write(name, key)
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([201, 'true'])
    expect(again.text === reply.text).toBe(true)
  }
}

/** Each is listed once, and its bytes are in the bucket. */
async function expectListed(uploaded: readonly string[]): Promise<void> {
  const listed = async () => (await worldFiles(own)).data.map(({ id }: Body) => id) as string[]
  await until(async () => {
    const ids = new Set(await listed())
    return uploaded.every((id) => ids.has(id))
  })
  const ids = await listed()
  expect(new Set(ids).size).toBe(ids.length)
  const bucket = bucketOf(system)
  for (const { id, element_id } of (await worldFiles(own)).data) {
    const world = expectBody(await own.get('/api/v2/me'), 200).world.id
    expect((await bucket.head(`w/${world}/${element_id}/${id}.txt`))?.bytes).toBe(text.length)
  }
  bucket.close()
}
