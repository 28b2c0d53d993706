/** A host that is thought dead while it stands before or behind its put, and what another makes of its ticket. */
import { existsSync, writeFileSync } from 'node:fs'
import { Rooms, worldRoom } from '@worlds/storage/rooms'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { Redis } from 'ioredis'
import { type Books, brisk, cap, fuses, gateway, openBooks, soon } from './faults-files-support'
import { ask, fileTicket, type HostReply, imageTicket, png, send, statusOf } from './files-support'
import { newOwner, type Owner } from './support'

const fuse = fuses()
/** Longer than a claim lives that nobody renews: the put's time and the lease. */
const waitMs = 4_000

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  const FAILPOINTS = ['upload.before-put', 'upload.put']
    .map((name) => `${name}=wait:${waitMs}@${fuse.path(name)}`)
    .join()
  const env = { gateway, file: soon, 'upload-host': { ...brisk, UPLOAD_BODY_MS: '20000', FAILPOINTS } }
  system = await startSystem({ files: true, uploadHosts: 2, env })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
  await system.stop()
  fuse.remove()
})
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const isFree = async () => (await books.redis.keys(`${system.redisPrefix}:ticket:{${own.world}}:*`)).length === 0
const contentOf = async (id: string) => {
  const { url } = (await own.get(`/api/v2/location/${place}/files/${id}/download`)).body
  return (await ask(url)).bytes.toString()
}

/** The first host stands still there until its claim is over; then `meanwhile` comes. */
async function standingAt(name: string, sending: () => Promise<HostReply>, meanwhile: () => Promise<void>) {
  writeFileSync(fuse.path(name), '')
  const first = sending()
  await until(() => !existsSync(fuse.path(name)))
  await until(isFree)
  await meanwhile()
  return statusOf(await first)
}

describe('a host that stands still', () => {
  it('[UP-033] before its put finds that another has put', async () => {
    const ticket = await fileTicket(own, 'location', place, { size: 6 })
    const first = await standingAt(
      'upload.before-put',
      () => send(ticket, 'first.'),
      async () => expect(statusOf(await send(ticket, 'second', {}, system.uploadUrls[1]))).toBe('201'),
    )
    expect(first).toBe('409 exists')
    await books.settled(own, [ticket.file_id], 6)
    expect(await contentOf(ticket.file_id)).toBe('second')
  })

  it('before its put, under another key than the other’s, ends without a promise and without bytes', async () => {
    const ticket = await imageTicket(own)
    const [one, other] = [`${ticket.prefix}one.png`, `${ticket.prefix}other.png`]
    const first = await standingAt(
      'upload.before-put',
      () => send(ticket, png(90), { 'X-Key': one }),
      async () => expect(statusOf(await send(ticket, png(80), { 'X-Key': other }, system.uploadUrls[1]))).toBe('201'),
    )
    expect(['409 exists', '502 write_failed']).toContain(first)
    await books.imagesSettled(own, [other], 80)
  })

  it('[UP-033] behind its put keeps what it has put', async () => {
    const ticket = await fileTicket(own, 'location', place, { size: 6 })
    const first = await standingAt(
      'upload.put',
      () => send(ticket, 'first.'),
      async () => expect(statusOf(await send(ticket, 'second', {}, system.uploadUrls[1]))).toBe('409 exists'),
    )
    expect(first).toBe('201')
    await books.settled(own, [ticket.file_id], 6)
    expect(await contentOf(ticket.file_id)).toBe('first.')
  })

  it('behind its put, stopped for as long, keeps what it has put', async () => {
    const ticket = await fileTicket(own, 'location', place, { size: 6 })
    writeFileSync(fuse.path('upload.put'), '')
    const first = send(ticket, 'first.')
    await until(() => !existsSync(fuse.path('upload.put')))
    await system.processes.kill('upload-host', 'SIGSTOP')
    try {
      await until(isFree)
      expect(statusOf(await send(ticket, 'second', {}, system.uploadUrls[1]))).toBe('409 exists')
    } finally {
      await system.processes.kill('upload-host', 'SIGCONT')
    }
    expect(statusOf(await first)).toBe('201')
    await books.settled(own, [ticket.file_id], 6)
    expect(await contentOf(ticket.file_id)).toBe('first.')
  })
})

it('a host that was killed keeps its place in the world’s room no longer than its lease', async () => {
  const [dead, next] = [await fileTicket(own, 'location', place), await fileTicket(own, 'location', place)]
  const redis = new Redis(system.redisUrl, { keyPrefix: `${system.redisPrefix}:` })
  const rooms = new Rooms(redis)
  const room = worldRoom(own.world)
  expect(await rooms.enter(room, 'others', cap - 10, 'others', { holds: cap, leaseMs: 0 })).toBe('entered')
  writeFileSync(fuse.path('upload.before-put'), '')
  const first = send(dead, 'x'.repeat(10), {}, system.uploadUrls[1]).catch(() => null)
  await until(() => !existsSync(fuse.path('upload.before-put')))
  await system.processes.kill('upload-host-2')
  expect(await first).toBeNull()

  expect(statusOf(await send(next, 'hello'))).toBe('413 too_large')
  await until(async () => statusOf(await send(next, 'hello')) === '201')
  await rooms.leave(room, 'others')
  redis.disconnect()
  await system.processes.restart('upload-host-2')
  await books.settled(own, [next.file_id], 5)
})
