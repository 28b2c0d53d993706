/** Reports that are lost, late, doubled or die: the rounds bring to its end whatever nobody has told. */
import { existsSync, writeFileSync } from 'node:fs'
import { fileV1 } from '@worlds/proto/load'
import { type Jobs, queuePrefix } from '@worlds/runtime/queues'
import { RpcClient, RpcPeer } from '@worlds/runtime/rpc-client'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { Queue } from 'bullmq'
import { type Books, brisk, eventually, fuses, gateway, openBooks, soon } from './faults-files-support'
import { addFile, fileTicket, imageTicket, png, send } from './files-support'
import { pausedQueue } from './queue-support'
import { type Body, newOwner, type Owner } from './support'
import { redisProxy } from './tcp-proxy'

const fuse = fuses()
const proxy = redisProxy()
const text = 'twelve bytes'

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  await proxy.join()
  const exits = ['file.report', 'file.listed', 'file.doomed'].map((name) => `${name}=exit@${fuse.path(name)}`)
  const host = {
    ...brisk,
    REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
    FAILPOINTS: `upload.spent=wait:300@${fuse.path('upload.spent')}`,
  }
  const file = { ...soon, FAILPOINTS: exits.join() }
  system = await startSystem({ files: true, env: { gateway, file, 'upload-host': host } })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
  await system.stop()
  await proxy.cut()
  fuse.remove()
})
beforeEach(async () => {
  own = await newOwner(system)
  place = (await own.make('location')).id
})

const ticketOf = () => fileTicket(own, 'location', place, { size: text.length })
const jtiOf = ({ ticket }: Body): string => JSON.parse(Buffer.from(ticket.split('.')[1], 'base64url').toString()).jti

/** Tells a job, and waits until it has been heard. */
async function tell(id: string, job: Jobs['file-stored']): Promise<void> {
  await withQueue(async (queue) => {
    await queue.add(job.kind, job, { jobId: id, attempts: 1, removeOnComplete: true, removeOnFail: false })
    await untilHeard(queue, id)
  })
}

/** Its job is gone, or was there and has died. */
async function untilHeard(queue: Queue, id: string): Promise<void> {
  await until(async () => {
    const state = await queue.getJobState(id)
    return state === 'unknown' || state === 'failed'
  })
}

async function withQueue(work: (queue: Queue) => Promise<void>): Promise<void> {
  const prefix = queuePrefix(system.redisPrefix, 'file-stored')
  const queue = new Queue('file-stored', { connection: { url: system.redisUrl }, prefix })
  await work(queue).finally(() => queue.close())
}

async function dyingAt(name: string, work: () => Promise<unknown>): Promise<void> {
  writeFileSync(fuse.path(name), '')
  await work()
  await until(() => !existsSync(fuse.path(name)))
  await system.processes.restart('file')
}

describe('a file service that dies', () => {
  it.each(['file.report', 'file.listed'])('at %s, settles a file once it runs again', async (name) => {
    const ticket = await ticketOf()
    await dyingAt(name, async () => expect((await send(ticket, text)).status).toBe(201))
    await books.hurry()
    await books.settled(own, [ticket.file_id], text.length)
  })

  it.each([
    ['file.report', ''],
    ['file.listed', ''],
    ['file.report', 'chosen.png'],
    ['file.listed', 'chosen.png'],
  ])('at %s, settles an image once it runs again (key %j)', async (name, key) => {
    const ticket = await imageTicket(own)
    const headers: Record<string, string> = key === '' ? {} : { 'X-Key': ticket.prefix + key }
    let stored: Body
    await dyingAt(name, async () => {
      stored = (await send(ticket, png(80), headers)).body
    })
    await books.hurry()
    await eventually(async () => (await books.imageSides(own)).rows, [stored.key])
    const { pointers: _, ...rest } = await books.imageSides(own)
    expect(rest).toEqual({ rows: [stored.key], stored: [stored.key], used: 80, counted: 80, room: 80, doomed: 0 })
  })

  it('[FL-025] before it deletes bytes, deletes them once it runs again', async () => {
    const { id } = await addFile(own, 'location', place, { size: text.length }, text)
    await dyingAt('file.doomed', () => own.delete(`/api/v2/location/${place}/files/${id}`))
    await books.settled(own, [], 0)
  })
})

describe('a report', () => {
  it('that is told again, and again after the file went, changes nothing', async () => {
    const kept = await addFile(own, 'location', place, { size: text.length }, text)
    const gone = await addFile(own, 'location', place, { size: text.length }, text)
    expect((await own.delete(`/api/v2/location/${place}/files/${gone.id}`)).status).toBe(204)
    await books.settled(own, [kept.id], text.length)
    for (const { id } of [kept, gone]) {
      const key = `w/${own.world}/${place}/${id}.txt`
      await tell(`again-${id}`, { kind: 'file', worldId: own.world, id, key, bytes: text.length })
    }
    await books.settled(own, [kept.id], text.length)
  })

  it('of an image that is told again after it was removed changes nothing', async () => {
    const ticket = await imageTicket(own)
    const { key } = (await send(ticket, png(80), { 'X-Key': `${ticket.prefix}a.png` })).body
    await books.imagesSettled(own, [key], 80)
    const removal = (await own.post('/api/v2/media/remove-ticket', { key })).body
    expect((await send({ ...removal, upload_url: removal.remove_url }, '')).status).toBe(201)
    await books.imagesSettled(own, [], 0)
    await tell(`again-${key}`, { kind: 'image', worldId: own.world, id: jtiOf(ticket), key, bytes: 80 })
    await books.imagesSettled(own, [], 0)
  })

  it('[FL-020][FL-021] that could not be told is made up for by the rounds', async () => {
    const ticket = await ticketOf()
    writeFileSync(fuse.path('upload.spent'), '')
    const sending = send(ticket, text)
    await until(() => !existsSync(fuse.path('upload.spent')))
    await proxy.cut()
    expect((await sending).status).toBe(201)
    expect(await books.sides(own)).toMatchObject({ listed: [], stored: [ticket.file_id], used: 0, room: 12 })
    await proxy.join()
    await books.hurry()
    await books.settled(own, [ticket.file_id], text.length)
    await until(async () => (await send(ticket, text)).status === 401)
  })

  it('that died is made up for by the rounds, and shown to the operator', async () => {
    const ticket = await ticketOf()
    // Whoever adds under the same id adds nothing: this is the file's report, and it dies.
    const { file_id: id, key } = ticket
    const job: Jobs['file-stored'] = { kind: 'file', worldId: 'nonsense', id, key, bytes: text.length }
    await tell(ticket.file_id, job)
    expect((await send(ticket, text)).status).toBe(201)
    expect(await books.sides(own)).toMatchObject({ listed: [], stored: [ticket.file_id], used: 0 })
    await books.hurry()
    await books.settled(own, [ticket.file_id], text.length)
    const { queues } = await operator('GetQueues', {})
    const { failed, dead } = queues.find((one: Body) => one.name === 'file-stored')
    expect({ failed, dead }).toEqual({ failed: 1, dead: [{ id: ticket.file_id, reason: expect.any(String), job }] })
  })

  it('[FL-022] that waits for a file service which was told to stop is heard by the next', async () => {
    const queue = pausedQueue(system, 'file-stored')
    await queue.pause()
    const tickets = await Promise.all(Array.from({ length: 10 }, ticketOf))
    for (const ticket of tickets) expect((await send(ticket, text)).status).toBe(201)
    await queue.resume()
    await system.processes.kill('file', 'SIGTERM')
    expect(system.processes.exitCode('file')).toBe(0)
    await system.processes.restart('file')
    const ids = tickets.map(({ file_id }: Body) => file_id)
    await books.settled(own, ids, ids.length * text.length)
    await queue.close()
  })
})

async function operator(method: 'GetQueues', request: object): Promise<Body> {
  const peer = new RpcPeer([system.fileAddress], system.serviceToken)
  try {
    const settings = { deadlineMs: 10_000, affinity: '', repeatable: true }
    const reply = await new RpcClient(fileV1.Operator, peer).unary(method, request, settings)
    return JSON.parse(reply.body?.toString() ?? '')
  } finally {
    peer.close()
  }
}
