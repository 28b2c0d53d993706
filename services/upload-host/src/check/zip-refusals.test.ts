import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  asZip64,
  type Content,
  deflated,
  type EntryShape,
  extraField,
  type Fields,
  makeZip,
  stored,
  type ZipShape,
  zip64Locator,
} from '../../test/zip-maker'
import { isSoundZip } from './zip'

const ann: EntryShape = { name: 'ann', content: deflated('Ann'.repeat(50)) }
const bob: EntryShape = { name: 'bob', content: stored('Bob') }
const good = makeZip([ann, bob])
const junk = Buffer.from('junk')
const zip64Extra = extraField(1, Buffer.alloc(16))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zip-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function isSound(zip: Buffer): Promise<boolean> {
  const path = join(folder, 'a.zip')
  await writeFile(path, zip)
  return isSoundZip(path, zip.length)
}

/** A header that says something else: in both places, or in one where the other tells the truth. */
function lies(what: string, fields: Partial<Fields>): [string, EntryShape][] {
  return [
    [`${what} in both headers`, { ...ann, both: fields }],
    [`${what} in its own header`, { ...ann, local: fields }],
    [`${what} in the directory`, { ...ann, central: fields }],
  ]
}

it('what the bad ones are made of is good', async () => {
  expect(await isSound(good)).toBe(true)
})

describe('no zip', () => {
  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['noise', randomBytes(100_000)],
    ['a start alone', Buffer.from('PK\x03\x04')],
    ['an end but for its last byte', makeZip([]).subarray(0, 21)],
    ['a zip but for its last byte', good.subarray(0, -1)],
    ['a zip but for its first byte', good.subarray(1)],
    ['half a zip', good.subarray(0, good.length / 2)],
    ['a zip without end', good.subarray(0, -22)],
    ['an end alone, of a zip with entries', good.subarray(-22)],
    ['bytes before that no offset counts in', Buffer.concat([junk, good])],
    ['bytes before nothing', makeZip([], { prefix: junk })],
    ['bytes after', Buffer.concat([good, junk])],
    ['a zip after a zip', Buffer.concat([good, good])],
    ['zip64 by its end records', asZip64(good)],
    ['zip64 with nothing in it', asZip64(makeZip([]))],
  ])('%s', async (_, bytes) => {
    expect(await isSound(bytes)).toBe(false)
  })

  it.each<[string, ZipShape]>([
    ['bytes before the first entry', { prefix: junk }],
    ['bytes before the directory', { beforeDirectory: junk }],
    ['bytes after the directory', { afterDirectory: junk }],
    ['bytes that a directory size counts in', { afterDirectory: junk, end: { directorySize: 102 } }],
    ['a zip64 locator after the directory', { afterDirectory: zip64Locator(0) }],
    ['a directory that begins elsewhere', { end: { directoryOffset: 0 } }],
    ['a directory of another size', { end: { directorySize: 97 } }],
    ['a longer comment than is there', { end: { commentLength: 1 } }],
    ['a shorter comment than is there', { comment: 'comment', end: { commentLength: 1 } }],
    ['an end within the comment', { comment: Buffer.concat([makeZip([]), junk]) }],
    ['fewer entries than are there', { end: { count: 1 } }],
    ['more entries than are there', { end: { count: 3 } }],
    ['as many as zip64 has', { end: { count: 0xffff } }],
    ['the size of zip64', { end: { directorySize: 0xffffffff } }],
    ['the offset of zip64', { end: { directoryOffset: 0xffffffff } }],
    ['an end on another disk', { end: { disk: 1 } }],
    ['a directory on another disk', { end: { directoryDisk: 1 } }],
    ['entries on another disk', { end: { diskCount: 1 } }],
  ])('%s', async (_, zip) => {
    expect(await isSound(makeZip([ann, bob], zip))).toBe(false)
  })
})

describe('no entry', () => {
  it.each<[string, EntryShape]>([
    ...lies('a size too large', { size: 151 }),
    ...lies('a size too small', { size: 149 }),
    ...lies('no size', { size: 0 }),
    ...lies('a packed size too large', { packedSize: 9 }),
    ...lies('a packed size too small', { packedSize: 7 }),
    ...lies('another checksum', { crc: 1 }),
    ...lies('stored for deflated', { method: 0 }),
    ...lies('deflate64', { method: 9 }),
    ...lies('bzip2', { method: 12 }),
    ...lies('lzma', { method: 14 }),
    ...lies('zstd', { method: 93 }),
    ...lies('AES', { method: 99 }),
    ...lies('encryption', { flags: 0x0001 }),
    ...lies('strong encryption', { flags: 0x0041 }),
    ...lies('strong encryption alone', { flags: 0x0040 }),
    ...lies('masked values', { flags: 0x2000 }),
    ...lies('a descriptor that is not there', { flags: 0x0008 }),
    ...lies('an extra field of zip64', { extra: zip64Extra }),
    ...lies('one after others', { extra: Buffer.concat([extraField(0x5455, Buffer.alloc(5)), zip64Extra]) }),
    ...lies('an extra field that goes on', { extra: Buffer.from([0x55, 0x54, 9, 0, 1]) }),
    ...lies('the size of zip64', { size: 0xffffffff }),
    ...lies('the packed size of zip64', { packedSize: 0xffffffff }),
    ...lies('another signature', { signature: 0x04034b51 }),
    ['another name in its own header', { ...ann, local: { name: 'amy' } }],
    ['a longer name in its own header', { ...ann, local: { name: 'anna' } }],
    ['a UTF-8 name in its own header alone', { ...ann, local: { flags: 0x0800 } }],
    ['another disk', { ...ann, central: { disk: 1 } }],
    ['the disk of zip64', { ...ann, central: { disk: 0xffff } }],
    ['the offset of zip64', { ...ann, central: { offset: 0xffffffff } }],
    ['another offset', { ...ann, central: { offset: 1 } }],
  ])('%s', async (_, entry) => {
    expect(await isSound(makeZip([entry]))).toBe(false)
    expect(await isSound(makeZip([entry, bob]))).toBe(false)
  })

  it('nothing that readers may take for a zip64 locator', async () => {
    const comment = zip64Locator(0).toString('latin1')
    expect(await isSound(makeZip([{ ...ann, comment }, bob]))).toBe(true)
    expect(await isSound(makeZip([bob, { ...ann, comment }]))).toBe(false)
  })

  const { crc, size, packed } = ann.content as Content
  const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)
  it.each<[string, Partial<EntryShape>]>([
    ['none', { descriptor: Buffer.alloc(0) }],
    ['another checksum', { descriptor: numbers(1, packed.length, size) }],
    ['another packed size', { descriptor: numbers(crc, 1, size) }],
    ['another size', { descriptor: numbers(crc, packed.length, 1) }],
    ['another signature', { descriptor: numbers(1, crc, packed.length, size) }],
    ['the long form of zip64', { descriptor: numbers(0x08074b50, crc, packed.length, 0, size, 0) }],
    ['the long bare form of zip64', { descriptor: numbers(crc, packed.length, 0, size, 0) }],
    ['one that nobody announced', { descriptor: 'signed', both: { flags: 0, crc, size, packedSize: packed.length } }],
    ['one that the header contradicts', { descriptor: 'signed', local: { size: 149 } }],
    ['one after a header of zip64', { descriptor: 'signed', local: { size: 0xffffffff, packedSize: 0xffffffff } }],
  ])('descriptor: %s', async (_, shape) => {
    expect(await isSound(makeZip([{ ...ann, ...shape }]))).toBe(false)
    expect(await isSound(makeZip([{ ...ann, ...shape }, bob]))).toBe(false)
  })

  it.each<[string, Partial<Content>]>([
    ['noise', { packed: Buffer.alloc(8, 0xff) }],
    ['cut', { packed: packed.subarray(0, -1) }],
    ['followed by a little', { packed: Buffer.concat([packed, junk]) }],
    ['followed by much', { packed: Buffer.concat([packed, randomBytes(300_000)]) }],
    ['followed by more of the same', { packed: Buffer.concat([packed, packed]) }],
    ['missing', { packed: Buffer.alloc(0) }],
    ['cut after much', { packed: deflated(randomBytes(300_000)).packed.subarray(0, -1), size: 300_000 }],
  ])('deflated data: %s', async (_, content) => {
    expect(await isSound(makeZip([{ ...ann, content: { method: 8, packed, crc, size, ...content } }, bob]))).toBe(false)
  })

  it.each<[string, Partial<Fields>]>([
    ['a size too large', { size: 4 }],
    ['a size too small', { size: 2 }],
    ['another checksum', { crc: 1 }],
    ['sizes too small', { size: 2, packedSize: 2 }],
  ])('stored data: %s', async (_, both) => {
    expect(await isSound(makeZip([{ ...bob, both }, ann]))).toBe(false)
  })
})

describe('no name', () => {
  const unicodePath = (name: string) => extraField(0x7075, Buffer.from(`\x01\0\0\0\0${name}`))
  it.each<[string, EntryShape]>([
    ...[
      '/etc/x',
      '/',
      '//host/x',
      'C:/x',
      'c:x',
      'a\\b',
      '\\x',
      '..\\x',
      '..',
      '../x',
      'a/..',
      'a/../b',
      'a\0b',
      '\0',
    ].map((name): [string, EntryShape] => [JSON.stringify(name), { name }]),
    ['"../" as a folder', { name: '../' }],
    ['UTF-8 that is none', { name: Buffer.from([0x61, 0xff]), flags: 0x0800 }],
    ['dots in more bytes than they need', { name: Buffer.from([0xc0, 0xae, 0xc0, 0xae, 0x2f]), flags: 0x0800 }],
    ['a second name that leads out', { ...bob, extra: unicodePath('../x') }],
    ['a second name that is absolute', { ...bob, central: { extra: unicodePath('/x') } }],
    ['a second name with a backslash in its own header', { ...bob, local: { extra: unicodePath('a\\b') } }],
  ])('%s', async (_, entry) => {
    expect(await isSound(makeZip([entry]))).toBe(false)
  })
})

describe('no bytes of two entries', () => {
  const inner = makeZip([bob]).subarray(0, 36)
  const outer = { name: 'outer', content: stored(Buffer.concat([junk, inner])) }

  it.each<[string, EntryShape[]]>([
    ['listed twice', [bob, { ...bob, isListedOnly: true, central: { offset: 0 } }]],
    ['one within the data of another', [outer, { ...bob, isListedOnly: true, central: { offset: 39 } }]],
    ['one at the end of another', [{ ...bob, both: { size: 39, packedSize: 39 } }, bob]],
    [
      'one within the extra field of another',
      [
        { ...bob, local: { extra: extraField(9, inner) } },
        { ...bob, isListedOnly: true, central: { offset: 37 } },
      ],
    ],
    ['one that reaches into the directory', [ann, { ...bob, both: { size: 13, packedSize: 13 } }]],
    ['one that lies in the directory', [ann, { ...bob, central: { offset: 50 } }]],
  ])('%s', async (_, entries) => {
    expect(await isSound(makeZip(entries))).toBe(false)
  })

  it('nor bytes of none between them', async () => {
    const gap = { ...bob, content: { ...stored('Bob, and more'), crc: crc32('Bob'), size: 3 }, both: { packedSize: 3 } }
    expect(await isSound(makeZip([gap, ann]))).toBe(false)
  })
})
