/** Clients that leave, stall or lie, tickets that end, and hosts that are told to stop. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Books, fuses, gateway, openBooks, slowUpload, soon } from './faults-files-support'
import { fileTicket, imageTicket, png, send } from './files-support'
import { type Body, newOwner, type Owner } from './support'

const lifeMs = 2_000
const fuse = fuses()
const directory = mkdtempSync(join(tmpdir(), 'uploads-'))
/** Over what stays in memory. */
const large = 2_000_000

let system: System
let books: Books
let own: Owner
let place: string

async function start(bodyMs: number, file: Record<string, string>): Promise<void> {
  const host = {
    UPLOAD_BODY_MS: String(bodyMs),
    UPLOAD_PUT_MS: '1500',
    UPLOAD_LEASE_MS: '1000',
    UPLOAD_DIR: directory,
  }
  system = await startSystem({ files: true, env: { gateway, file: { ...soon, ...file }, 'upload-host': host } })
  books = await openBooks(system)
}
async function stop(): Promise<void> {
  await books?.close()
  await system.stop()
}
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterAll(() => {
  fuse.remove()
  rmSync(directory, { recursive: true, force: true })
})

const ticketOf = (size: number, kind = 'txt') => fileTicket(own, 'location', place, { size, kind, name: `a.${kind}` })
const entered = () => books.room(`world:${own.world}`)

describe('a client', () => {
  beforeAll(() => start(3_000, { FAILPOINTS: `file.report=wait:700@${fuse.path('report')}` }))
  afterAll(stop)

  /** The ticket is as it was, and nothing is kept of what came. */
  async function expectUntouched(ticket: Body, bytes: Uint8Array | string, kind: string): Promise<void> {
    await until(async () => (await entered()) === 0)
    expect(readdirSync(directory)).toEqual([])
    if (kind === 'zip') return books.settled(own, [], 0)
    expect((await send(ticket, bytes)).status).toBe(201)
    await books.settled(own, [ticket.file_id], Buffer.byteLength(bytes))
  }

  it.each([
    ['small', 'txt', 1_000],
    ['large', 'txt', large],
    ['large', 'zip', large],
  ])('that leaves in the middle of a %s body (%s) takes nothing', async (_size, kind, size) => {
    const ticket = await ticketOf(size, kind)
    const upload = slowUpload(ticket, size)
    await upload.write(Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(size / 2, 'x')]))
    await until(async () => (await entered()) === size)
    if (kind === 'zip') await until(() => readdirSync(directory).length === 1)
    upload.leave()
    await expectUntouched(ticket, 'x'.repeat(size), kind)
  })

  it.each([
    ['txt', 1_000],
    ['zip', large],
  ])('that sends a part of a %s and no more is told 408, and takes nothing', async (kind, size) => {
    const ticket = await ticketOf(size, kind)
    const upload = slowUpload(ticket, size)
    await upload.write('PK\x03\x04')
    expect(await upload.answer).toEqual({ status: 408, body: { error: 'request_timeout' } })
    await expectUntouched(ticket, 'x'.repeat(size), kind)
  })

  it('that announces more than it sends takes nothing', async () => {
    const ticket = await ticketOf(1_000)
    const { hostname, port } = new URL(ticket.upload_url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const head = ['POST /v1/upload HTTP/1.1', 'Host: here', `Authorization: Bearer ${ticket.ticket}`]
    socket.write(`${[...head, 'Content-Length: 1000'].join('\r\n')}\r\n\r\nonly this`)
    await until(async () => (await entered()) === 1_000)
    socket.end()
    await closed
    expect(answer).toMatch(/^HTTP\/1\.1 4/)
    await expectUntouched(ticket, 'x'.repeat(1_000), 'txt')
  })

  it('that sends more than it announces has that stored, or nothing', async () => {
    const ticket = await ticketOf(1_000)
    const { hostname, port } = new URL(ticket.upload_url)
    const socket = connect({ host: hostname, port: Number(port) })
    const closed = new Promise((resolve) => socket.resume().once('close', resolve))
    const head = ['POST /v1/upload HTTP/1.1', 'Host: here', `Authorization: Bearer ${ticket.ticket}`]
    socket.write(`${[...head, 'Content-Length: 10'].join('\r\n')}\r\n\r\n${'x'.repeat(500)}`)
    await closed
    let status = 409
    await until(async () => {
      status = (await send(ticket, 'y'.repeat(10))).status
      return status !== 409
    })
    expect([201, 401]).toContain(status)
    await books.settled(own, [ticket.file_id], 10)
  })

  it('finds its upload ended by a host that is told to stop', async () => {
    const ticket = await ticketOf(large)
    const upload = slowUpload(ticket, large)
    await upload.write(Buffer.alloc(large / 2, 'x'))
    await until(async () => (await entered()) === large)
    const stopped = system.processes.kill('upload-host', 'SIGTERM')
    await until(() => system.processes.logs('upload-host').some((line) => line.includes('"event":"stopping"')))
    await upload.write(Buffer.alloc(large / 2, 'x'))
    upload.end()
    expect((await upload.answer).status).toBe(201)
    await stopped
    expect(system.processes.exitCode('upload-host')).toBe(0)
    await system.processes.restart('upload-host')
    await books.settled(own, [ticket.file_id], large)
  })

  it('finds its file listed by a file service that is told to stop', async () => {
    const ticket = await ticketOf(10)
    writeFileSync(fuse.path('report'), '')
    expect((await send(ticket, '0123456789')).status).toBe(201)
    await until(() => !existsSync(fuse.path('report')))
    await system.processes.kill('file', 'SIGTERM')
    expect(system.processes.exitCode('file')).toBe(0)
    expect(await books.state(ticket.file_id)).toBe('listed')
    await system.processes.restart('file')
    await books.settled(own, [ticket.file_id], 10)
  })
})

describe('a ticket that ends', () => {
  // The rounds come soon after it, long before an upload must have ended: only its claim keeps them away.
  const times = {
    TICKET_LIFE_MS: String(lifeMs),
    UPLOAD_GRACE_MS: '1200',
    FORGET_AFTER_MS: '6000',
    FILE_TICKETS_WINDOW_MS: '6000',
  }
  beforeAll(() => start(20_000, times))
  afterAll(stop)

  it('[UP-002] under an upload that had begun leaves it its 201', async () => {
    const [ticket, image] = [await ticketOf(large), await imageTicket(own)]
    const uploads = [
      [slowUpload(ticket, large), Buffer.alloc(large, 'x')],
      [slowUpload(image, large, { 'X-Key': `${image.prefix}a.png` }), png(large)],
    ] as const
    for (const [upload, bytes] of uploads) await upload.write(bytes.subarray(0, large / 2))
    // Its time to be settled came, and was put off: somebody is at it.
    const putOff = 'select settle_at - issued_at > $2::interval as off from file.files where id = $1'
    const times = [ticket.file_id, `${lifeMs + 1_500} ms`]
    await until(async () => (await books.database.query(putOff, times)).rows[0].off)
    expect((await send(await ticketOf(5), 'hello')).status).toBe(201)
    expect(await send(ticket, 'second')).toMatchObject({ status: 401, body: { error: 'ticket_expired' } })
    for (const [upload, bytes] of uploads) {
      await upload.write(bytes.subarray(large / 2))
      upload.end()
      expect((await upload.answer).status).toBe(201)
    }
    await until(async () => (await books.sides(own)).listed.length === 2)
    expect(await books.state(ticket.file_id)).toBe('listed')
    await books.imagesSettled(own, [`${image.prefix}a.png`], large)
  })

  it('[UP-002] unused is void, and what comes under its key later is deleted', async () => {
    const [ticket, image] = [await ticketOf(5), await imageTicket(own)]
    const id = JSON.parse(Buffer.from(image.ticket.split('.')[1], 'base64url').toString()).jti
    await until(async () => (await books.state(ticket.file_id)) === 'void' && (await books.state(id)) === 'void')
    expect(await send(ticket, 'hello')).toMatchObject({ status: 401, body: { error: 'ticket_expired' } })
    const put = (key: string, metadata: Record<string, string>) =>
      books.bucket.put({ key, body: Buffer.from('late'), bytes: 4, type: 'text/plain', metadata })
    await put(ticket.key, { ticket: ticket.file_id, token: 'late' })
    await put(`${image.prefix}${id}.png`, { ticket: id, token: 'late' })
    await until(async () => (await books.state(ticket.file_id)) === null && (await books.state(id)) === null)
    await books.settled(own, [], 0)
    await books.imagesSettled(own, [], 0)
  })

  it('leaves no entry in the room of an upload that nobody ended', async () => {
    const ticket = await ticketOf(large)
    const upload = slowUpload(ticket, large)
    await upload.write(Buffer.alloc(large / 2, 'x'))
    await until(async () => (await entered()) === large)
    await system.processes.kill('upload-host')
    expect((await upload.answer).status).toBe(0)
    await system.processes.restart('upload-host')
    await until(async () => (await books.state(ticket.file_id)) === 'void')
    await books.settled(own, [], 0)
    expect(readdirSync(directory)).toEqual([])
  })
})
