import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type System, startSystem } from '@worlds/testkit/system'
import {
  asZip64,
  deflated,
  type EntryShape,
  extraField,
  makeZip,
  stored,
  zeros,
} from '../../upload-host/test/zip-maker'
import { addFile, ask, bucketOf, filesOf, fileTicket, keysIn, peakMemory, send } from './files-support'
import { expectBody, newOwner, type Owner } from './support'
import { expectHostRefusal } from './uploads-support'

let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true, env: { file: { FILE_TICKETS: '1000' } } })
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterAll(() => system.stop())

const hello: EntryShape = { name: 'a.txt', content: deflated('hello hello hello') }
const other: EntryShape = { name: 'b/c.txt', content: stored('there') }
const good = makeZip([hello, other])
const entries = (count: number): EntryShape[] => Array.from({ length: count }, (_, index) => ({ name: `f${index}` }))
const mega = 1_048_576

const newTicket = () => fileTicket(own, 'location', place, { name: 'bundle.zip', kind: 'zip' })

async function expectTaken(bytes: Buffer): Promise<void> {
  const { status, body } = await send((await newTicket()) as never, bytes)
  expect([status, body]).toMatchObject([201, { bytes: bytes.length, type: 'application/zip' }])
}

async function expectRefused(bytes: Buffer): Promise<void> {
  const ticket = await newTicket()
  expectHostRefusal(await send(ticket as never, bytes), 415, 'unsupported_type')
  expect(await keysIn(bucketOf(system), ticket.key)).toEqual([])
  expect((await filesOf(own, 'location', place)).map(({ id }) => id)).not.toContain(ticket.file_id)
  expect((await send(ticket as never, good)).status).toBe(201)
}

describe('hostile 74: a zip', () => {
  it('[UP-008] of this repository’s own files is stored and comes back', async () => {
    const folder = join(__dirname, '../src')
    const files = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'))
    const shapes = files.map((name) => ({ name: `src/${name}`, content: deflated(readFileSync(join(folder, name))) }))
    const zip = makeZip([{ name: 'src/' }, ...shapes], { comment: 'A world’s own' })
    const { id, size } = await addFile(own, 'location', place, { name: 'bundle.zip', kind: 'zip' }, zip)
    const { url } = expectBody(await own.get(`/api/v2/location/${place}/files/${id}/download`), 200)
    const { bytes, headers } = await ask(url)
    expect([size, bytes.equals(zip), headers.get('content-type')]).toEqual([zip.length, true, 'application/zip'])
    expect(files.length).toBeGreaterThan(10)
  })

  it.each<[string, () => Buffer]>([
    ['without entries', () => makeZip([])],
    ['stored and deflated', () => good],
    ['with a comment', () => makeZip([hello], { comment: 'by hand' })],
    ['with comments of entries', () => makeZip([{ ...hello, comment: 'greeting' }])],
    ['with folders', () => makeZip([{ name: 'b/' }, other])],
    ['with signed descriptors', () => makeZip([{ ...hello, descriptor: 'signed' }, other])],
    ['with bare descriptors', () => makeZip([{ ...hello, descriptor: 'bare' }, other])],
    ['with names in UTF-8', () => makeZip([{ ...hello, name: 'Größe/世界.txt', flags: 0x0800 }])],
    ['with dots in names', () => makeZip([{ ...hello, name: 'a..b/...txt' }])],
    ['with a time in extra fields', () => makeZip([{ ...hello, extra: extraField(0x5455, Buffer.alloc(5)) }])],
    ['of 10,000 entries', () => makeZip(entries(10_000))],
    ['of 250 MB unpacked', () => makeZip([{ name: 'a', content: zeros(250 * mega) }])],
  ])('[UP-008][UP-013][UP-014] may be %s', async (_title, zip) => expectTaken(zip()))

  it.each<[string, string, () => Buffer]>([
    ['UP-009', 'zip64 by its end record', () => asZip64(good)],
    ['UP-009', 'zip64 by an extra field', () => makeZip([{ ...hello, extra: extraField(1, Buffer.alloc(16)) }])],
    ['UP-010', 'an encrypted entry', () => makeZip([{ ...hello, flags: 1 }])],
    ['UP-010', 'an encrypted entry behind others', () => makeZip([other, { ...hello, flags: 1 }])],
    ['UP-010', 'a strongly encrypted entry', () => makeZip([{ ...hello, flags: 0x41 }])],
    ['UP-011', 'a name from the root', () => makeZip([{ ...hello, name: '/etc/x' }])],
    ['UP-011', 'a name on a drive', () => makeZip([{ ...hello, name: 'C:/x' }])],
    ['UP-011', 'a name with a backslash', () => makeZip([{ ...hello, name: 'a\\b' }])],
    ['UP-011', 'a name of another machine', () => makeZip([{ ...hello, name: '\\\\host\\x' }])],
    ['UP-012', 'a name that leads up', () => makeZip([{ ...hello, name: '../x' }])],
    ['UP-012', 'a name that leads up within', () => makeZip([{ ...hello, name: 'a/../b' }])],
    ['UP-012', 'a name that ends up', () => makeZip([{ ...hello, name: 'a/..' }])],
    ['UP-012', 'a name that leads up by backslashes', () => makeZip([{ ...hello, name: '..\\x' }])],
    ['UP-012', 'a name that leads up in the directory alone', () => makeZip([{ ...hello, central: { name: '../a' } }])],
    ['UP-013', '10,001 entries', () => makeZip(entries(10_001))],
    ['UP-013', 'more entries than it counts', () => makeZip([hello, other], { end: { count: 1, diskCount: 1 } })],
    ['UP-014', 'a byte over 250 MB unpacked', () => makeZip([{ name: 'a', content: zeros(250 * mega + 1) }])],
    [
      'UP-014',
      'a byte over it together',
      () =>
        makeZip([
          { name: 'a', content: zeros(250 * mega) },
          { name: 'b', content: stored('x') },
        ]),
    ],
    ['UP-014', 'a byte over it by what is declared', () => makeZip([{ ...hello, both: { size: 250 * mega + 1 } }])],
    ['UP-014', 'more than is declared', () => makeZip([{ name: 'a', content: zeros(20 * mega), both: { size: 5 } }])],
    ['UP-014', 'less than is declared', () => makeZip([{ ...hello, both: { size: 18 } }])],
    ['UP-038', 'a wrong checksum', () => makeZip([{ ...hello, both: { crc: 1 } }])],
    ['UP-038', 'headers that disagree in size', () => makeZip([{ ...hello, local: { size: 4 } }])],
    ['UP-038', 'headers that disagree in name', () => makeZip([{ ...hello, local: { name: 'z.txt' } }])],
    ['UP-038', 'another method', () => makeZip([{ ...hello, both: { method: 12 } }])],
    [
      'UP-038',
      'two entries over the same bytes',
      () => makeZip([hello, { ...hello, name: 'z.txt', isListedOnly: true, central: { offset: 0 } }]),
    ],
    ['UP-038', 'bytes before the first entry', () => makeZip([hello], { prefix: Buffer.from('#!/bin/sh\n') })],
    ['UP-038', 'bytes after the end', () => Buffer.concat([good, Buffer.from('x')])],
    ['UP-038', 'an end cut off', () => good.subarray(0, good.length - 1)],
    ['UP-038', 'no end', () => good.subarray(0, good.length - 22)],
    ['UP-038', 'a beginning cut off', () => good.subarray(1)],
    ['UP-038', 'no zip', () => Buffer.from('PK and nothing more')],
    ['UP-038', 'a text', () => Buffer.from('hello')],
  ])('[%s] may not be %s', async (_id, _title, zip) => expectRefused(zip()))

  it('[UP-014] is judged without being held in memory', async () => {
    const pid = system.processes.pid('upload-host')
    const bombs: [EntryShape, number][] = [
      [{ name: 'a', content: zeros(250 * mega) }, 201],
      [{ name: 'a', content: zeros(1_000 * mega), both: { size: 100 } }, 415],
    ]
    const before = peakMemory(pid)
    for (const [shape, status] of bombs) {
      expect((await send((await newTicket()) as never, makeZip([shape]))).status).toBe(status)
    }
    expect(peakMemory(pid) - before).toBeLessThan(64)
  })
})
