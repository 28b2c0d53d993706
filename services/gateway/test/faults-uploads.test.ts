/** Upload hosts and file services that die at a moment of their choice: what was begun is listed or gone, counted once. */
import { existsSync, writeFileSync } from 'node:fs'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Books, brisk, fuses, gateway, openBooks, soon } from './faults-files-support'
import {
  ask,
  fileTicket,
  type HostReply,
  imageTicket,
  jpeg,
  keysIn,
  png,
  send,
  statusOf,
  untilReported,
} from './files-support'
import { type Body, newOwner, type Owner } from './support'

const fuse = fuses()
const failpoints = (names: readonly string[]) => names.map((name) => `${name}=exit@${fuse.path(name)}`).join()

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  const upload = ['upload.before-put', 'upload.put', 'upload.spent', 'remove.removed']
  const file = ['file.report', 'file.listed', 'file.doomed']
  system = await startSystem({
    files: true,
    env: {
      gateway,
      file: { ...soon, FAILPOINTS: failpoints(file) },
      'upload-host': { ...brisk, FAILPOINTS: failpoints(upload) },
    },
  })
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

/** The process dies there; it is started again. */
async function dyingAt(name: string, process: string, work: () => Promise<unknown>): Promise<void> {
  writeFileSync(fuse.path(name), '')
  await work()
  await until(() => !existsSync(fuse.path(name)))
  await system.processes.restart(process)
}

const cutOff = (sending: Promise<HostReply>) => expect(sending).rejects.toThrow('fetch failed')

/** Once nobody holds the ticket any longer. */
async function untilFree(sending: () => Promise<HostReply>): Promise<string> {
  const claims = `${system.redisPrefix}:ticket:{${own.world}}:*`
  await until(async () => {
    const keys = await books.redis.keys(claims)
    const states = keys.length === 0 ? [] : await books.redis.mget(keys)
    return states.every((state) => state === null || state.startsWith('spent:'))
  })
  return statusOf(await sending())
}

describe('an upload host that dies with a file', () => {
  const text = 'twelve bytes'
  const ticketOf = () => fileTicket(own, 'location', place, { size: text.length })

  it('[UP-040] before the put leaves the ticket good', async () => {
    const ticket = await ticketOf()
    await dyingAt('upload.before-put', 'upload-host', () => cutOff(send(ticket, text)))
    expect(await untilFree(() => send(ticket, text))).toBe('201')
    await books.settled(own, [ticket.file_id], text.length)
  })

  it('before the put, and is never asked again, leaves nothing', async () => {
    const ticket = await ticketOf()
    await dyingAt('upload.before-put', 'upload-host', () => cutOff(send(ticket, text)))
    expect(await books.room(`world:${own.world}`)).toBe(text.length)
    await books.hurry()
    await books.settled(own, [], 0)
    expect(await books.state(ticket.file_id)).toBe('void')
  })

  it('[UP-033] between the put and the spend has it listed by the rounds', async () => {
    const ticket = await ticketOf()
    await dyingAt('upload.put', 'upload-host', () => cutOff(send(ticket, text)))
    expect(await untilFree(() => send(ticket, 'other text!!'))).toBe('409 exists')
    await books.hurry()
    await books.settled(own, [ticket.file_id], text.length)
    const { url } = (await own.get(`/api/v2/location/${place}/files/${ticket.file_id}/download`)).body
    expect((await ask(url)).bytes.toString()).toBe(text)
  })

  it('[UP-003] between the spend and the report has it listed by the rounds', async () => {
    const ticket = await ticketOf()
    await dyingAt('upload.spent', 'upload-host', () => cutOff(send(ticket, text)))
    expect(await untilFree(() => send(ticket, text))).toBe('401 ticket_used')
    expect((await books.sides(own)).listed).toEqual([])
    await books.hurry()
    await books.settled(own, [ticket.file_id], text.length)
  })
})

describe.each([
  ['with an image under a minted key', ''],
  ['with an image under a key of its choice', 'chosen.png'],
])('an upload host that dies %s', (_title, name) => {
  const bytes = png(90)
  const headersOf = (ticket: Body): Record<string, string> => (name === '' ? {} : { 'X-Key': ticket.prefix + name })
  const upload = (ticket: Body) => send(ticket, bytes, headersOf(ticket))
  const keyOf = (ticket: Body) => {
    const { jti } = JSON.parse(Buffer.from(ticket.ticket.split('.')[1], 'base64url').toString())
    return ticket.prefix + (name === '' ? `${jti}.png` : name)
  }

  it('[UP-040] before the put leaves the ticket good', async () => {
    const ticket = await imageTicket(own)
    await dyingAt('upload.before-put', 'upload-host', () => cutOff(upload(ticket)))
    expect(await untilFree(() => upload(ticket))).toBe('201')
    await books.imagesSettled(own, [keyOf(ticket)], 90)
  })

  it('before the put, and is never asked again, leaves nothing', async () => {
    const ticket = await imageTicket(own)
    await dyingAt('upload.before-put', 'upload-host', () => cutOff(upload(ticket)))
    await books.hurry()
    await books.imagesSettled(own, [], 0)
    expect(await keysIn(books.bucket, `removed/u/${own.world}/`)).toEqual([])
  })

  it('between the put and the spend has it listed by the rounds', async () => {
    const ticket = await imageTicket(own)
    await dyingAt('upload.put', 'upload-host', () => cutOff(upload(ticket)))
    expect(await untilFree(() => upload(ticket))).toBe('409 exists')
    await books.hurry()
    await books.imagesSettled(own, [keyOf(ticket)], 90)
  })

  it('[UP-003] between the spend and the report has it listed by the rounds', async () => {
    const ticket = await imageTicket(own)
    await dyingAt('upload.spent', 'upload-host', () => cutOff(upload(ticket)))
    expect(await untilFree(() => upload(ticket))).toBe('401 ticket_used')
    await books.hurry()
    await books.imagesSettled(own, [keyOf(ticket)], 90)
  })

  it.each([
    ['bytes of another type', '', jpeg(70)],
    ['another key', 'other.png', png(70)],
  ])('between the put and the spend owns all that is there, even after %s', async (_what, other, otherBytes) => {
    const ticket = await imageTicket(own)
    await dyingAt('upload.put', 'upload-host', () => cutOff(upload(ticket)))
    const headers: Record<string, string> = other === '' ? {} : { 'X-Key': ticket.prefix + other }
    const answer = await untilFree(() => send(ticket, otherBytes, headers))
    await books.hurry()
    await until(async () => (await books.state(JSON.parse(claimsOf(ticket)).jti)) !== 'reserved')
    const { rows, stored } = await books.imageSides(own)
    expect({ answer, stored }).toEqual({ answer: '409 exists', stored: rows })
    await books.imagesSettled(own, [keyOf(ticket)], 90)
  })

  it('after a removal has it told by the next try', async () => {
    const { key, ticket: text } = await removalOf(bytes, name)
    const url = system.uploadUrl.replace('upload', 'remove')
    const remove = () => ask(url, { method: 'POST', headers: { Authorization: `Bearer ${text}` } })
    await dyingAt('remove.removed', 'upload-host', () => cutOff(remove()))
    expect(await books.imageSides(own)).toMatchObject({ rows: [key], stored: [], used: 90 })
    expect(await untilFree(remove)).toBe('201')
    await books.imagesSettled(own, [], 0)
    expect(await untilFree(remove)).toBe('401 ticket_used')
  })

  it('after a removal has it found by the rounds', async () => {
    const { ticket: text } = await removalOf(bytes, name)
    const url = system.uploadUrl.replace('upload', 'remove')
    await dyingAt('remove.removed', 'upload-host', () =>
      cutOff(ask(url, { method: 'POST', headers: { Authorization: `Bearer ${text}` } })),
    )
    await books.database.query(`update file.images set removal_until = now() - interval '1 hour'
      where removal_until is not null`)
    await books.imagesSettled(own, [], 0)
  })
})

async function removalOf(bytes: Buffer, name: string): Promise<Body> {
  const ticket = await imageTicket(own)
  const { body } = await send(ticket, bytes, name === '' ? {} : { 'X-Key': ticket.prefix + name })
  await books.imagesSettled(own, [body.key], 90)
  return untilReported(own, body.key)
}

function claimsOf({ ticket }: Body): string {
  return Buffer.from(ticket.split('.')[1], 'base64url').toString()
}
