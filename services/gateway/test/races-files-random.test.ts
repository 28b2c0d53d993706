/** A hundred things in any order, some beside each other: in the end listed, stored and counted are the same. */
import { isDeepStrictEqual } from 'node:util'
import { type System, startSystem } from '@worlds/testkit/system'
import { until } from '@worlds/testkit/until'
import { type Books, brisk, eventually, gateway, openBooks, soon } from './faults-files-support'
import { askTicket, send } from './files-support'
import { pausedQueue } from './queue-support'
import { type Body, newOwner, type Owner } from './support'

const operations = Number(process.env.RANDOM_OPERATIONS ?? 100)
const seeds = process.env.RANDOM_SEED === undefined ? [1, 2] : [Number(process.env.RANDOM_SEED)]

interface Promised {
  readonly place: number
  readonly life: number
  readonly id: string
  readonly bytes: number
}

describe('files in any order of events', () => {
  let system: System
  let books: Books
  let own: Owner
  beforeAll(async () => {
    system = await startSystem({ files: true, uploadHosts: 2, env: { gateway, file: soon, 'upload-host': brisk } })
    books = await openBooks(system)
  })
  afterAll(async () => {
    await books?.close()
    await system.stop()
  })

  it.each(seeds)(
    'are listed, stored and counted alike in the end (seed %i)',
    async (seed) => {
      own = await newOwner(system)
      const random = randomOf(seed)
      const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
      const places = await own.seed('location', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
      // How often each has been deleted or made; odd while it is deleted.
      const lives = [0, 0, 0]
      const tickets: { ticket: Body; place: number; life: number }[] = []
      const promised: Promised[] = []
      const removed = new Set<string>()
      const underWay: Promise<unknown>[] = []
      const deletions = pausedQueue(system, 'element-deleted')

      const ask = async () => {
        const place = pick([0, 1, 2])
        const life = lives[place] ?? 0
        const reply = await askTicket(own, 'location', places[place] ?? '', { size: 1 })
        if (reply.status === 201) tickets.push({ ticket: reply.body, place, life })
        else expect([404, 503]).toContain(reply.status)
      }
      const upload = async () => {
        if (tickets.length === 0) return
        const { ticket, place, life } = pick(tickets)
        const bytes = 1 + Math.floor(random() * 3_000)
        const body = pick(['good', 'good', 'good', 'bad', 'huge']) as string
        const sent =
          body === 'huge' ? Buffer.alloc(ticket.max_bytes + 1) : Buffer.alloc(bytes, body === 'bad' ? 0 : 'x')
        const sending = send(ticket, sent, {}, pick(system.uploadUrls)).then(
          ({ status }) => {
            if (status === 201) promised.push({ place, life, id: ticket.file_id, bytes })
            else expect([401, 409, 413, 415, 502, 503]).toContain(status)
            if (status === 201) expect(body).toBe('good')
          },
          // A claim that was lost ends the connection.
          () => undefined,
        )
        underWay.push(sending)
        if (random() < 0.5) await sending
      }
      const removeFile = async () => {
        const file = promised.length === 0 ? undefined : pick(promised)
        if (file === undefined) return
        const { status } = await own.delete(`/api/v2/location/${places[file.place]}/files/${file.id}`)
        if (status === 204) removed.add(file.id)
        expect([204, 404, 503]).toContain(status)
      }
      const removeOrMake = async () => {
        const place = pick([0, 1, 2])
        const path = `/api/v2/location/${places[place]}`
        const isThere = (lives[place] ?? 0) % 2 === 0
        const { status } = await (isThere ? own.delete(path) : own.put(path, { name: 'again' }))
        expect(status).toBe(isThere ? 204 : 201)
        lives[place] = (lives[place] ?? 0) + 1
      }
      const untold = async () =>
        (await books.database.query('select id from element.outbox where world_id = $1', [own.world])).rows.length
      const killFile = async () => {
        // A job that dies with its worker is taken up after half a minute: longer than this may last. What is still to
        // be told of would become one while it is killed.
        await until(async () => (await untold()) === 0)
        await until(async () => (await deletions.waiting()) === 0)
        await system.processes.kill('file')
        await system.processes.restart('file')
      }
      const steps = [
        ...Array(8).fill(ask),
        ...Array(14).fill(upload),
        ...Array(3).fill(removeFile),
        ...Array(2).fill(removeOrMake),
        () => books.empty(pick(['room:', 'ticket:', 'object:'])),
        killFile,
      ] as (() => Promise<unknown>)[]
      for (let n = 0; n < operations; n += 1) await pick(steps)()
      await Promise.all(underWay)
      await deletions.close()
      for (const [n, place] of places.entries()) {
        if ((lives[n] ?? 0) % 2 === 1)
          expect((await own.put(`/api/v2/location/${place}`, { name: 'z' })).status).toBe(201)
      }
      // Whoever asks has the books made anew, should they be lost.
      expect((await askTicket(own, 'location', places[0] ?? '')).status).toBe(201)

      const stands = promised.filter(({ place, life, id }) => lives[place] === life && !removed.has(id))
      const isOpen = `select count(*)::int as n from file.files where world_id = $1 and state = 'reserved'`
      await until(async () => {
        await books.hurry()
        return (await books.database.query(isOpen, [own.world])).rows[0].n === 0
      })
      const told = async () => {
        const { listed, rows, stored, used, counted, bytes, room, doomed } = await books.sides(own)
        const lost = stands.filter(({ id }) => !listed.includes(id))
        const sides = { lost, listed, stored, used, counted, room, doomed }
        const alike = { lost: [], listed: rows, stored: rows, used: bytes, counted: bytes, room: bytes, doomed: 0 }
        return isDeepStrictEqual(sides, alike) ? 'alike' : { sides, alike }
      }
      // A report that died with its worker is taken up after half a minute.
      await eventually(told, 'alike', 60_000)
      expect(stands.length).toBeGreaterThan(0)
      expect(promised.length).toBeGreaterThan(stands.length)
    },
    120_000,
  )
})

/** The same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
