/** Uploads beside each other: one ticket is used once, and what a world may take is never gone over. */
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Books, brisk, cap, gateway, largest, openBooks, slowUpload, soon } from './faults-files-support'
import { addFile, ask, fileTicket, type HostReply, imageTicket, png, send, untilListed } from './files-support'
import { type Body, newOwner, type Owner } from './support'

const leaseMs = 2_000

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  const host = { ...brisk, UPLOAD_BODY_MS: '30000', UPLOAD_PUT_MS: '10000', UPLOAD_LEASE_MS: String(leaseMs) }
  system = await startSystem({ files: true, uploadHosts: 2, env: { file: soon, gateway, 'upload-host': host } })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
  await system.stop()
})
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const hosts = (count: number) => system.uploadUrls.slice(0, count)
const errorsOf = (replies: readonly HostReply[]) =>
  replies.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body?.error}`)

describe('one ticket', () => {
  it.each([1, 2])('[UP-003][UP-033] is used once by 64 uploads at once over %i hosts', async (count) => {
    const ticket = await fileTicket(own, 'location', place, { size: 6 })
    const bodies = Array.from({ length: 64 }, (_, n) => `text${String(n).padStart(2, '0')}`)
    const replies = await Promise.all(bodies.map((text, n) => send(ticket, text, {}, hosts(count)[n % count])))
    const good = replies.flatMap(({ status }, n) => (status === 201 ? [n] : []))
    expect(good).toHaveLength(1)
    expect(errorsOf(replies)).toHaveLength(63)
    for (const error of errorsOf(replies)) expect(['409 exists', '401 ticket_used']).toContain(error)
    await books.settled(own, [ticket.file_id], 6)
    const { url } = (await own.get(`/api/v2/location/${place}/files/${ticket.file_id}/download`)).body
    expect((await ask(url)).bytes.toString()).toBe(bodies[good[0] as number])
    expect(errorsOf([await send(ticket, 'again!')])).toEqual(['401 ticket_used'])
  })

  it('[UP-003] is used once for an image, whatever the keys that are asked for', async () => {
    const ticket = await imageTicket(own)
    const keys = [...Array(15).keys()].map((n) => `${ticket.prefix}a${n}.png`)
    const sent = [undefined, ...keys].map((key, n) =>
      send(ticket, png(100 + n), key === undefined ? {} : { 'X-Key': key }, system.uploadUrls[n % 2]),
    )
    const replies = await Promise.all(sent)
    const good = replies.filter(({ status }) => status === 201)
    expect(good).toHaveLength(1)
    for (const error of errorsOf(replies)) expect(['409 exists', '401 ticket_used']).toContain(error)
    await books.imagesSettled(own, [good[0]?.body.key], good[0]?.body.bytes)
  })

  it('[UP-032] does not let many at one key of an image in', async () => {
    const tickets = await Promise.all(Array.from({ length: 16 }, () => imageTicket(own)))
    const key = `${tickets[0].prefix}shared.png`
    const replies = await Promise.all(
      tickets.map((ticket, n) => send(ticket, png(200 + n), { 'X-Key': key }, system.uploadUrls[n % 2])),
    )
    const good = replies.filter(({ status }) => status === 201)
    expect(good).toHaveLength(1)
    expect(new Set(errorsOf(replies))).toEqual(new Set(['409 exists']))
    await books.hurry()
    await books.imagesSettled(own, [key], good[0]?.body.bytes)
  })

  it('is kept by an upload that takes longer than the lease', async () => {
    const ticket = await fileTicket(own, 'location', place, { size: 20 })
    const slow = slowUpload(ticket, 20)
    await slow.write('x')
    await until(async () => (await books.room(`world:${own.world}`)) === 20)
    const began = Date.now()
    let sent = 1
    for (; Date.now() - began < 3 * leaseMs; sent += 1) {
      await slow.write('x')
      for (const url of system.uploadUrls) {
        expect(errorsOf([await send(ticket, 'y'.repeat(20), {}, url)])).toEqual(['409 exists'])
      }
      await until(() => Date.now() - began > (sent - 1) * 400)
    }
    await slow.write('x'.repeat(20 - sent))
    slow.end()
    expect((await slow.answer).status).toBe(201)
    await books.settled(own, [ticket.file_id], 20)
  })

  it('is another host’s when the first stands still for longer than its lease', async () => {
    const ticket = await fileTicket(own, 'location', place, { size: 20 })
    const [first = '', second = ''] = system.uploadUrls
    const stalled = slowUpload(ticket, 20, {}, first)
    await stalled.write('stalled...')
    await until(async () => (await books.room(`world:${own.world}`)) === 20)
    await system.processes.kill('upload-host', 'SIGSTOP')
    try {
      await until(async () => (await send(ticket, 'second one, as long.', {}, second)).status === 201)
    } finally {
      await system.processes.kill('upload-host', 'SIGCONT')
    }
    await stalled.write('goes on...')
    stalled.end()
    expect([0, 401, 409]).toContain((await stalled.answer).status)
    await books.settled(own, [ticket.file_id], 20)
    const { url } = (await own.get(`/api/v2/location/${place}/files/${ticket.file_id}/download`)).body
    expect((await ask(url)).bytes.toString()).toBe('second one, as long.')
  })
})

describe('what a world may take', () => {
  it('[FL-080][UP-034] is never gone over by many uploads at once', async () => {
    const chunk = Buffer.alloc(largest, 'x')
    const big = await Promise.all(
      Array.from({ length: 9 }, () => addFile(own, 'location', place, { size: largest }, chunk)),
    )
    const size = 3_000_000
    const tickets = await Promise.all(Array.from({ length: 20 }, () => fileTicket(own, 'location', place, { size })))
    const totals: number[] = []
    let running = true
    const watch = (async () => {
      while (running) {
        totals.push((await books.room(`world:${own.world}`)) ?? 0, (await books.sides(own)).used)
      }
    })()
    const replies = await Promise.all(
      tickets.map((ticket, n) => send(ticket, chunk.subarray(0, size), {}, system.uploadUrls[n % 2])),
    )
    running = false
    await watch
    const good = tickets.filter((_, n) => replies[n]?.status === 201).map(({ file_id }: Body) => file_id)
    // Eight of them fit into what nine files of 25 MB leave.
    expect(good).toHaveLength(8)
    expect(new Set(errorsOf(replies))).toEqual(new Set(['413 too_large']))
    expect(Math.max(...totals)).toBeLessThanOrEqual(cap)
    await books.settled(own, [...big.map(({ id }) => id), ...good], 9 * largest + 8 * size)
    const loser = tickets.find(({ file_id }: Body) => !good.includes(file_id))
    expect((await own.delete(`/api/v2/location/${place}/files/${good[0]}`)).status).toBe(204)
    expect((await send(loser, chunk.subarray(0, size))).status).toBe(201)
    await untilListed(own, 'location', place, loser.file_id)
  })
})
