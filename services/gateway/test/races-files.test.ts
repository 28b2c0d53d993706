/** Files and images beside the end of what they belong to: an element, a world, an account. */
import { addMember } from '@worlds/testkit/members'
import { type System, startSystem } from '@worlds/testkit/system'
import { testServers } from '@worlds/testkit/test-servers'
import { until } from '@worlds/testkit/until'
import { type Books, brisk, eventually, gateway, openBooks, soon } from './faults-files-support'
import { FaultyStore } from './faulty-store'
import {
  addFile,
  addImage,
  ask,
  filesOf,
  fileTicket,
  imageTicket,
  keysIn,
  png,
  send,
  worldFiles,
} from './files-support'
import { accountApi } from './hostile-table'
import { actAs } from './members-support'
import { pausedQueue } from './queue-support'
import { type Body, expectBody, newOwner, type Owner } from './support'

const text = 'twelve bytes'
const store = new FaultyStore(testServers().s3Endpoint)

let system: System
let books: Books
let own: Owner
let place: string

beforeAll(async () => {
  await store.start()
  const element = { OUTBOX_EVERY_MS: '100' }
  system = await startSystem({
    files: true,
    s3Endpoint: store.endpoint,
    env: { gateway, element, file: soon, 'upload-host': { ...brisk, UPLOAD_PUT_MS: '8000', S3_TIMEOUT_MS: '8000' } },
  })
  books = await openBooks(system)
})
afterAll(async () => {
  await books?.close()
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

const ticketOf = () => fileTicket(own, 'location', place, { size: text.length })
const add = () => addFile(own, 'location', place, { size: text.length }, text)
const removeElement = async () => expectBody(await own.delete(`/api/v2/location/${place}`), 204)
const makeAgain = async () => expectBody(await own.put(`/api/v2/location/${place}`, { name: 'Again' }), 201)
const idsOf = (files: Body[]) => files.map(({ id }) => id)

describe('an element that is deleted and made again', () => {
  it('[FL-026] has none of the files of the one before, and keeps its own when that one’s deletion comes late', async () => {
    const queue = pausedQueue(system, 'element-deleted')
    await queue.pause()
    const old = await add()
    const open = await ticketOf()
    const late = await ticketOf()
    const { url } = (await own.get(`/api/v2/location/${place}/files/${old.id}/download`)).body
    await removeElement()
    expect((await worldFiles(own)).data).toEqual([])
    await makeAgain()
    expect(await filesOf(own, 'location', place)).toEqual([])
    expect((await worldFiles(own)).data).toEqual([])
    for (const path of [`${old.id}/download`, old.id]) {
      const at = `/api/v2/location/${place}/files/${path}`
      expect((await (path === old.id ? own.delete(at) : own.get(at))).status).toBe(404)
    }
    // A ticket of the old one, used between the two: listed for nobody.
    expect((await send(open, text)).status).toBe(201)
    await until(async () => (await books.state(open.file_id)) === 'listed')
    const mine = await add()
    expect(idsOf(await filesOf(own, 'location', place))).toEqual([mine.id])
    expect(idsOf((await worldFiles(own)).data)).toEqual([mine.id])
    await queue.resume()
    await books.settled(own, [mine.id], text.length)
    expect((await send(late, text)).status).toBe(201)
    await until(async () => (await books.state(late.file_id)) === 'void')
    await books.settled(own, [mine.id], text.length)
    expect((await ask(url)).status).toBe(404)
    await queue.close()
  })

  it('[FL-026] many times over keeps the last one’s files alone', async () => {
    const queue = pausedQueue(system, 'element-deleted')
    for (let round = 0; round < 5; round += 1) {
      if (round % 2 === 0) await queue.pause()
      else await queue.resume()
      await add()
      await ticketOf().then((ticket) => send(ticket, text))
      await removeElement()
      await makeAgain()
    }
    const mine = await add()
    await queue.resume()
    await books.settled(own, [mine.id], text.length)
    await queue.close()
  })
})

describe('an element that is deleted', () => {
  it('[FL-026] takes files along that are listed, stored and not told of, and on their way', async () => {
    await add()
    const [pending, open, held] = [await ticketOf(), await ticketOf(), await ticketOf()]
    const reports = pausedQueue(system, 'file-stored')
    await reports.pause()
    expect((await send(pending, text)).status).toBe(201)
    store.fail('PUT', 'hold', 1)
    const sending = send(held, text)
    await until(() => store.heldRequests === 1)
    await removeElement()
    await eventually(async () => (await books.sides(own)).rows, [])
    store.release()
    expect((await sending).status).toBe(201)
    await reports.resume()
    expect((await send(open, text)).status).toBe(201)
    for (const { file_id } of [pending, open, held]) {
      await until(async () => (await books.state(file_id)) === 'void')
    }
    await books.settled(own, [], 0)
    await reports.close()
  })

  it('[FL-026] while the file service is away takes its files along when it is back', async () => {
    await add()
    const pending = await ticketOf()
    await system.processes.kill('file', 'SIGTERM')
    expect((await send(pending, text)).status).toBe(201)
    await removeElement()
    await system.processes.restart('file')
    // Which of the two it hears of first is chance.
    await until(async () => ['removed', 'void'].includes((await books.state(pending.file_id)) ?? ''))
    await books.settled(own, [], 0)
  })

  it('[FL-026] beside uploads and tickets for it leaves nothing', async () => {
    const work = Array.from({ length: 12 }, async () => {
      const ticket = await own.post(`/api/v2/location/${place}/files`, { name: 'a.txt', kind: 'txt', size: 12 })
      if (ticket.status === 201) expect((await send(ticket.body, text)).status).toBe(201)
      else expect(ticket.status).toBe(404)
    })
    await Promise.race(work)
    await removeElement()
    await Promise.all(work)
    await books.hurry()
    await books.settled(own, [], 0)
  })
})

describe('a world that is deleted', () => {
  it('[FL-027] leaves no object and no image storage taken', async () => {
    const first = await addImage(own, png(100))
    const chosen = await addImage(own, png(101), { 'X-Key': `u/${own.world}/a.png` })
    const gone = await addImage(own, png(102), { 'X-Key': `u/${own.world}/gone.png` })
    await books.imagesSettled(own, [first.key, chosen.key, gone.key], 303)
    const removal = (await own.post('/api/v2/media/remove-ticket', { key: gone.key })).body
    expect((await send({ ...removal, upload_url: removal.remove_url }, '')).status).toBe(201)
    await books.imagesSettled(own, [first.key, chosen.key], 201)
    await add()

    const files = [await ticketOf(), await ticketOf(), await ticketOf()] as const
    const images = await Promise.all(Array.from({ length: 4 }, () => imageTicket(own)))
    const unused = (await own.post('/api/v2/media/remove-ticket', { key: chosen.key })).body
    const reports = pausedQueue(system, 'file-stored')
    await reports.pause()
    const named = (ticket: Body, name: string) => ({ 'X-Key': ticket.prefix + name })
    expect((await send(files[0], text)).status).toBe(201)
    expect((await send(images[0], png(103))).status).toBe(201)
    expect((await send(images[1], png(104), named(images[1], 'b.png'))).status).toBe(201)

    const { token, world } = own
    expectBody(await accountApi(system.gateway, token).delete(`/api/v2/account/worlds/${world}`), 204)
    const isPurged = 'select purged_at is not null as purged from file.worlds where world_id = $1'
    await until(async () => (await books.database.query(isPurged, [world])).rows[0].purged)
    await reports.resume()
    // The room of its files went with it: whoever asks waits for a new one.
    await until(async () => (await send(files[1], text)).status === 201)
    expect((await send(images[2], png(105), named(images[2], 'c.png'))).status).toBe(201)
    expect([201, 403]).toContain((await send({ ...unused, upload_url: unused.remove_url }, '')).status)
    await reports.close()
    await books.hurry()
    await eventually(() => leftOf(own), { keys: [], rows: ['void'], used: 0, image_bytes_used: 0, doomed: 0 })
  })

  async function leftOf({ world, token, account }: Owner): Promise<object> {
    const prefixes = ['w', 'u', 'pointers', 'removed/u'].map((prefix) => keysIn(books.bucket, `${prefix}/${world}/`))
    const rows = await books.database.query(
      `select state from file.files where world_id = $1 and state <> 'removed'
       union select state from file.images where world_id = $1`,
      [world],
    )
    const used = 'select used_bytes::int as used from file.worlds where world_id = $1'
    const doomed = 'select count(*)::int as n from file.doomed where world_id = $1'
    const { image_bytes_used } = (await accountApi(system.gateway, token).get('/api/v2/account')).body
    expect((await books.room(`account:${account.id}`)) ?? 0).toBeGreaterThanOrEqual(0)
    return {
      keys: (await Promise.all(prefixes)).flat(),
      rows: rows.rows.map(({ state }) => state),
      used: (await books.database.query(used, [world])).rows[0].used,
      image_bytes_used,
      doomed: (await books.database.query(doomed, [world])).rows[0].n,
    }
  }
})

describe('an account that is deleted', () => {
  it('takes its images along, in whoever’s world, and leaves the others', async () => {
    const member = await addMember(system, own, 'contributor')
    const by = actAs(system, member)
    const mine = await addImage(own, png(100))
    const theirs = await addImage(by, png(200))
    const open = await imageTicket(by)
    const pending = await imageTicket(by)
    await until(async () => (await books.imageSides(own)).rows.length === 2)
    const file = await addFile(own, 'location', place, { size: text.length }, text)
    const reports = pausedQueue(system, 'file-stored')
    await reports.pause()
    expect((await send(pending, png(201))).status).toBe(201)
    expectBody(await by.bearer.delete('/api/v2/account'), 204)
    await until(async () => (await ask(theirs.url)).status === 404)
    await reports.resume()
    expect((await send(open, png(202), { 'X-Key': `${open.prefix}late.png` })).status).toBe(201)
    await reports.close()
    await books.hurry()
    await books.imagesSettled(own, [mine.key], 100)
    await books.settled(own, [file.id], text.length)
    const { rows } = await books.database.query(
      'select used_bytes::int as used from file.accounts where account_id = $1',
      [member.account.id],
    )
    expect(rows).toEqual([{ used: 0 }])
    await eventually(async () => ({ room: await books.room(`account:${member.account.id}`) }), { room: 0 })
    expect((await ask(mine.url)).status).toBe(200)
  })
})
