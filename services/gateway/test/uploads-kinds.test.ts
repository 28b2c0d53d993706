import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type System, startSystem } from '@worlds/testkit/system'
import { addFile, ask, avif, bucketOf, filesOf, fileTicket, jpeg, keysIn, png, send, webp } from './files-support'
import { expectBody, newOwner, type Owner } from './support'
import { expectHostRefusal } from './uploads-support'

/** What the bytes of a kind must be: the text kinds and PDF. */
let system: System
let own: Owner
let place: string

beforeAll(async () => {
  system = await startSystem({ files: true, env: { file: { FILE_TICKETS: '1000' } } })
  own = await newOwner(system)
  place = (await own.make('location')).id
})
afterAll(() => system.stop())

type Bytes = string | Buffer

/** 415 with nothing stored; then the same ticket takes what is of its kind. */
async function expectRefused(kind: string, bytes: Bytes, good: Bytes): Promise<void> {
  const ticket = await fileTicket(own, 'location', place, { name: `a.${kind}`, kind })
  expectHostRefusal(await send(ticket as never, bytes), 415, 'unsupported_type')
  expect(await keysIn(bucketOf(system), ticket.key)).toEqual([])
  expect((await filesOf(own, 'location', place)).map(({ id }) => id)).not.toContain(ticket.file_id)
  expect((await send(ticket as never, good)).status).toBe(201)
}

async function expectTaken(kind: string, bytes: Bytes): Promise<void> {
  const ticket = await fileTicket(own, 'location', place, { name: `a.${kind}`, kind })
  const { status, body } = await send(ticket as never, bytes)
  expect([status, body.bytes]).toEqual([201, Buffer.byteLength(bytes)])
}

describe('hostile 73: a pdf', () => {
  it.each<[string, Bytes]>([
    ['its signature alone', '%PDF-'],
    ['a whole one', '%PDF-1.7\n%âãÏÓ\n1 0 obj\nendobj\n%%EOF'],
    ['one with NULs', Buffer.from('%PDF-1.4\0\0\0', 'latin1')],
  ])('[UP-004] is %s', async (_title, bytes) => expectTaken('pdf', bytes))

  it.each<[string, Bytes]>([
    ['the signature without its dash', '%PDF 1.7'],
    ['the signature cut short', '%PDF'],
    ['the signature in small letters', '%pdf-1.7'],
    ['something before the signature', ' %PDF-1.7'],
    ['a mark of byte order before it', '\ufeff%PDF-1.7'],
    ['a page', '<html>%PDF-</html>'],
    ['a png', png()],
    ['one byte', '%'],
  ])('[UP-004][UP-038] is not %s', async (_title, bytes) => expectRefused('pdf', bytes, '%PDF-1.7'))
})

const kinds = ['txt', 'md', 'json', 'csv', 'yaml', 'toml'] as const
const window = 8_192
const fill = (length: number) => Buffer.alloc(length, 'a')
const join2 = (...parts: Bytes[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))

describe.each(kinds)('hostile 73: a %s', (kind) => {
  it.each<[string, Bytes]>([
    ['any text', 'Größe 😀 \u0001 \r\n <script>'],
    ['not parsed', '{"not json": [,,'],
    ['a mark of byte order first', '\ufeffa'],
    ['one byte', 'a'],
    ['as long as the window', fill(window)],
    ['a NUL right behind the window', join2(fill(window), '\0')],
    ['a byte that is none of UTF-8 behind the window', join2(fill(window), Buffer.from([0xff]))],
    ['a character across the window’s end', join2(fill(window - 1), '😀', fill(10))],
    ['a character across it by its last byte', join2(fill(window - 3), '😀', fill(10))],
    ['a character cut by the file’s end behind the window', join2(fill(window + 5), Buffer.from('😀').subarray(0, 2))],
    [
      'a character across the window’s end that is cut there by the file',
      join2(fill(window - 1), Buffer.from('😀').subarray(0, 2)),
    ],
  ])('[UP-005][UP-006][UP-007] may be %s', async (_title, bytes) => expectTaken(kind, bytes))

  it.each<[string, Bytes]>([
    ['a NUL', '\0'],
    ['a NUL as the window’s last byte', join2(fill(window - 1), '\0', fill(10))],
    ['a NUL at byte 8000', join2(fill(8_000), '\0', fill(1_000))],
    ['a byte that is none of UTF-8', Buffer.from([0x61, 0xff])],
    ['such a byte as the window’s last', join2(fill(window - 1), Buffer.from([0xff]), fill(10))],
    ['latin1', Buffer.from('Größe', 'latin1')],
    ['UTF-16', Buffer.from('text', 'utf16le')],
    ['a character longer than it need be', Buffer.from([0xc0, 0xaf])],
    ['half of a pair', Buffer.from([0xed, 0xa0, 0x80])],
    ['a character cut by the file’s end', join2('a', Buffer.from('😀').subarray(0, 3))],
    ['a character cut by the file’s end at the window’s', join2(fill(window - 2), Buffer.from('😀').subarray(0, 2))],
    ['a character broken within the window', join2(Buffer.from('😀').subarray(0, 2), 'aa')],
    ['a png', png()],
  ])('[UP-005][UP-006][UP-038] may not be %s', async (_title, bytes) => expectRefused(kind, bytes, 'text'))
})

it('[UP-006] a character that is broken across the window’s end is nobody’s concern', async () => {
  await expectTaken('txt', join2(fill(window - 1), Buffer.from('😀').subarray(0, 1), 'aaa'))
})

it('[UP-036][FL-075] a text that is a page is stored and served as the text it was called', async () => {
  const page = '<!doctype html><script>alert(1)</script>'
  const { id } = await addFile(own, 'location', place, {}, page)
  const { url } = expectBody(await own.get(`/api/v2/location/${place}/files/${id}/download`), 200)
  const { headers, bytes } = await ask(url)
  expect([headers.get('content-type'), bytes.toString()]).toEqual(['text/plain; charset=utf-8', page])
  expect(headers.get('content-disposition')).toMatch(/^attachment/)
})

it('[UP-005][UP-017] a large text comes back as it went', async () => {
  const folder = join(__dirname, '../src/routes')
  const text = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
    .repeat(40)
  const { id, size } = await addFile(own, 'location', place, {}, text)
  const { url } = expectBody(await own.get(`/api/v2/location/${place}/files/${id}/download`), 200)
  const { bytes } = await ask(url)
  expect([size, bytes.equals(Buffer.from(text))]).toEqual([Buffer.byteLength(text), true])
})

describe('images', () => {
  it.each([
    ['png', png()],
    ['jpeg', jpeg()],
    ['webp', webp()],
    ['avif', avif()],
  ])('[UP-004][UP-038] are no files: %s', async (_type, bytes) => {
    for (const kind of ['pdf', 'zip']) {
      const ticket = await fileTicket(own, 'location', place, { name: `a.${kind}`, kind })
      expectHostRefusal(await send(ticket as never, bytes), 415, 'unsupported_type')
    }
  })
})
