/** Many large bodies at once: an upload host holds but a few of them in memory. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, startSystem } from '@worlds/testkit/system'
import { makeZip, zeros } from '../../upload-host/test/zip-maker'
import { type Books, cap, gateway, largest, openBooks, soon } from './faults-files-support'
import { fileTicket, peakMemory, send } from './files-support'
import { type Body, newOwner, type Owner } from './support'

const directory = mkdtempSync(join(tmpdir(), 'uploads-'))
// Two bodies fit into the memory: all others take the way over the disk.
// A lease that outlives a slow machine: what is looked at is memory.
const host = { UPLOAD_DIR: directory, UPLOAD_MEMORY_MIB: '64', UPLOAD_LEASE_MS: '60000' }
const body = Buffer.alloc(largest, 'x')
const bombs = [
  // It says what it is,
  makeZip([{ name: 'honest', content: zeros(cap + 1) }]),
  // or says less.
  makeZip([{ name: 'lying', content: { ...zeros(cap), size: 1_000 } }]),
]

describe('an upload host', () => {
  let system: System
  let books: Books
  beforeAll(async () => {
    system = await startSystem({ files: true, env: { gateway, file: soon, 'upload-host': host } })
    books = await openBooks(system)
  })
  afterAll(async () => {
    await books?.close()
    await system.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it('[UP-014] takes 50 files of 25 MB at once, zip bombs among them, in bounded memory, again and again', async () => {
    for (const _round of [1, 2, 3]) {
      await round()
      const peak = peakMemory(system.processes.pid('upload-host'))
      expect(peak).toBeGreaterThan(0)
      expect(peak).toBeLessThan(350)
    }
    expect(readdirSync(directory)).toEqual([])
    // Nearly 4 GB go through it, which a slow disk takes its time for.
  }, 240_000)

  async function round(): Promise<void> {
    const worlds = await Promise.all(Array.from({ length: 5 }, () => ticketsOf(10, 'txt', largest)))
    const traps = await ticketsOf(20, 'zip', 1_000)
    const sent = [
      ...worlds.flatMap(({ tickets }) => tickets.map((ticket) => send(ticket, body))),
      ...traps.tickets.map((ticket, n) => send(ticket, bombs[n % bombs.length] as Buffer)),
    ]
    const answers = (await Promise.all(sent)).map(({ status, body }) => `${status} ${body.error ?? ''}`.trim())
    expect(answers).toEqual([...Array(50).fill('201'), ...Array(20).fill('415 unsupported_type')])
    await books.settled(traps.own, [], 0)
    for (const { own, tickets, place } of worlds) {
      const ids = tickets.map(({ file_id }) => file_id)
      await books.settled(own, ids, cap)
      for (const id of ids) expect((await own.delete(`/api/v2/location/${place}/files/${id}`)).status).toBe(204)
    }
  }

  async function ticketsOf(count: number, kind: string, size: number): Promise<Tickets> {
    const own = await newOwner(system)
    const { id: place } = await own.make('location')
    const body = { kind, name: `a.${kind}`, size }
    const asked = Array.from({ length: count }, () => fileTicket(own, 'location', place, body))
    return { own, place, tickets: await Promise.all(asked) }
  }
})

interface Tickets {
  readonly own: Owner
  readonly place: string
  readonly tickets: Body[]
}
