import { randomBytes } from 'node:crypto'
import fsPromises, { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInflateRaw } from 'node:zlib'
import fc from 'fast-check'
import { deflated, type EntryShape, extraField, makeZip, stored, type ZipShape, zeros } from '../../test/zip-maker'
import { isSoundZip } from './zip'

jest.mock('node:zlib', () => {
  const zlib = jest.requireActual('node:zlib')
  return { ...zlib, createInflateRaw: jest.fn(zlib.createInflateRaw) }
})

/** By zipfile of Python 3.11, into a file and into a stream, and by Info-ZIP 3.0. */
const samples = {
  python:
    'UEsDBBQAAAAIANWldV0AAAAAAgAAAAAAAAAGAAAAd29ybGQvAwBQSwMEFAAAAAgA1aV1XbYBNY0TAAAAOAAAAAwAAAB3b3JsZC9hLmpzb26r' +
    'VspLzE1VslJyzMtTqq0mmgcAUEsDBBQAAAAAAAAAIQAL+UNWBgAAAAYAAAAQAAAAd29ybGQvc3RvcmVkLnR4dHN0b3JlZFBLAwQUAAAICADV' +
    'pXVdgxbcjAMAAAABAAAACwAAAHdvcmxkL8OpLm1kqwAAUEsBAhQDFAAAAAgA1aV1XQAAAAACAAAAAAAAAAYAAAAAAAAAAAAQAP1BAAAAAHdv' +
    'cmxkL1BLAQIUAxQAAAAIANWldV22ATWNEwAAADgAAAAMAAAAAAAAAAAAAACAASYAAAB3b3JsZC9hLmpzb25QSwECFAMUAAAAAAAAACEAC/lD' +
    'VgYAAAAGAAAAEAAAAAAAAAAAAAAAgAFjAAAAd29ybGQvc3RvcmVkLnR4dFBLAQIUAxQAAAgIANWldV2DFtyMAwAAAAEAAAALAAAAAAAAAAAA' +
    'AACAAZcAAAB3b3JsZC/DqS5tZFBLBQYAAAAABAAEAOUAAADDAAAABwBhIHdvcmxk',
  pythonStream:
    'UEsDBBQACAAIANWldV0AAAAAAAAAAAAAAAAGAAAAd29ybGQvAwBQSwcIAAAAAAIAAAAAAAAAUEsDBBQACAAIANWldV0AAAAAAAAAAAAAAAAM' +
    'AAAAd29ybGQvYS5qc29uq1bKS8xNVbJScszLU6qtJpoHAFBLBwi2ATWNEwAAADgAAABQSwMEFAAIAAAAAAAhAAAAAAAAAAAAAAAAABAAAAB3' +
    'b3JsZC9zdG9yZWQudHh0c3RvcmVkUEsHCAv5Q1YGAAAABgAAAFBLAwQUAAgACADVpXVdAAAAAAAAAAAAAAAACQAAAGVtcHR5LnR4dAMAUEsH' +
    'CAAAAAACAAAAAAAAAFBLAQIUAxQACAAIANWldV0AAAAAAgAAAAAAAAAGAAAAAAAAAAAAEAD9QQAAAAB3b3JsZC9QSwECFAMUAAgACADVpXVd' +
    'tgE1jRMAAAA4AAAADAAAAAAAAAAAAAAAgAE2AAAAd29ybGQvYS5qc29uUEsBAhQDFAAIAAAAAAAhAAv5Q1YGAAAABgAAABAAAAAAAAAAAAAA' +
    'AIABgwAAAHdvcmxkL3N0b3JlZC50eHRQSwECFAMUAAgACADVpXVdAAAAAAIAAAAAAAAACQAAAAAAAAAAAAAAgAHHAAAAZW1wdHkudHh0UEsF' +
    'BgAAAAAEAAQA4wAAAAABAAAAAA==',
  infoZip:
    'UEsDBAoAAAAAAH2mdV0AAAAAAAAAAAAAAAAGABwAd29ybGQvVVQJAANuBAJrbgQCa3V4CwABBAAAAAAEAAAAAFBLAwQUAAAACAB9pnVdtgE1jRMA' +
    'AAA4AAAADAAcAHdvcmxkL2EuanNvblVUCQADbgQCa24EAmt1eAsAAQQAAAAABAAAAACrVspLzE1VslJyzMtTqq0mmgcAUEsDBAoAAAAAAH2mdV2D' +
    'FtyMAQAAAAEAAAALABwAd29ybGQvw6kubWRVVAkAA24EAmtuBAJrdXgLAAEEAAAAAAQAAAAAeFBLAQIeAwoAAAAAAH2mdV0AAAAAAAAAAAAAAAAG' +
    'ABgAAAAAAAAAEADtQQAAAAB3b3JsZC9VVAUAA24EAmt1eAsAAQQAAAAABAAAAABQSwECHgMUAAAACAB9pnVdtgE1jRMAAAA4AAAADAAYAAAAAAAB' +
    'AAAApIFAAAAAd29ybGQvYS5qc29uVVQFAANuBAJrdXgLAAEEAAAAAAQAAAAAUEsBAh4DCgAAAAAAfaZ1XYMW3IwBAAAAAQAAAAsAGAAAAAAAAQAA' +
    'AKSBmQAAAHdvcmxkL8OpLm1kVVQFAANuBAJrdXgLAAEEAAAAAAQAAAAAUEsFBgAAAAADAAMA7wAAAN8AAAAAAA==',
}

const noise = randomBytes(300_000)
/** Two windows of the file and more, deflated to about three quarters. */
const digits = Buffer.from(randomBytes(500_000).toString('base64'))
const ann: EntryShape = { name: 'world/ann.json', content: deflated('{"name":"Ann"}'.repeat(40)) }
const few: EntryShape[] = [{ name: 'world/' }, ann, { name: 'world/map.png', content: stored(noise.subarray(0, 100)) }]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zip-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => jest.clearAllMocks())

async function isSound(zip: Buffer): Promise<boolean> {
  const path = join(folder, 'a.zip')
  await writeFile(path, zip)
  return isSoundZip(path, zip.length)
}

describe('a zip is taken', () => {
  it.each<[string, EntryShape[], ZipShape?]>([
    ['with nothing in it', []],
    ['with nothing but a comment', [], { comment: 'nothing' }],
    ['with files and folders', few],
    ['with a comment', few, { comment: 'x'.repeat(65_535) }],
    ['with comments of entries', [{ ...ann, comment: 'she' }]],
    ['with a signed descriptor', [{ ...ann, descriptor: 'signed' }, ann]],
    ['with a bare descriptor', [{ ...ann, descriptor: 'bare' }, ann]],
    ['with a descriptor of stored data', [{ name: 'a', content: stored('a'), descriptor: 'signed' }]],
    ['with a descriptor that says it again', [{ ...ann, descriptor: 'signed', local: { size: 560 } }]],
    ['with a UTF-8 name', [{ name: 'wörld/😀', flags: 0x0800 }]],
    ['with a cp437 name', [{ name: Buffer.from([0x81, 0x62]) }]],
    ['with a name from standard input', [{ name: '' }]],
    ['with a name twice', [ann, ann]],
    ['with dots in names', [{ name: 'a..b' }, { name: '...' }, { name: './a' }, { name: '..a/b..' }]],
    ['with colons in names', [{ name: '12:30' }, { name: 'dir/c:x' }]],
    ['with a directory in another order', few, { isDirectoryReversed: true }],
    ['with extra fields', [{ ...ann, extra: extraField(0x5455, Buffer.alloc(5)) }]],
    ['with padded extra fields', [{ ...ann, local: { extra: Buffer.alloc(7) } }]],
    ['with a second name in UTF-8', [{ ...ann, extra: extraField(0x7075, Buffer.from('\x01\0\0\0\0world/é')) }]],
    ['with a hint in its directory alone', [{ ...ann, central: { flags: 0x0006 } }]],
    ['with a folder deflated to nothing', [{ name: 'a/', both: { method: 8 } }]],
    ['with long entries', [{ name: 'a', content: stored(noise) }, { name: 'b', content: deflated(digits) }, ann]],
    ['with long streamed entries', [{ name: 'b', content: deflated(digits), descriptor: 'signed' }, ann]],
  ])('%s', async (_, entries, zip = {}) => {
    expect(await isSound(makeZip(entries, zip))).toBe(true)
  })

  it.each(Object.entries(samples))('as %s makes it', async (_, sample) => {
    expect(await isSound(Buffer.from(sample, 'base64'))).toBe(true)
  })
})

describe('the limits', () => {
  const many = (count: number) => makeZip(Array.from({ length: count }, (_, index) => ({ name: `e${index}` })))

  it('let 10,000 entries pass and no more', async () => {
    expect(await isSound(many(10_000))).toBe(true)
    expect(await isSound(many(10_001))).toBe(false)
  })

  it('let 262,144,000 bytes pass', async () => {
    expect(
      await isSound(
        makeZip([
          { name: 'a', content: zeros(262_143_990) },
          { name: 'b', content: zeros(10) },
        ]),
      ),
    ).toBe(true)
  })

  it.each<[string, EntryShape[]]>([
    ['in one entry', [{ name: 'a', content: zeros(262_144_001) }]],
    [
      'in two',
      [
        { name: 'a', content: zeros(262_143_990) },
        { name: 'b', content: zeros(11) },
      ],
    ],
    ['declared alone', [{ ...ann, both: { size: 262_144_001 } }]],
  ])('refuse one more %s before anything is unpacked', async (_, entries) => {
    expect(await isSound(makeZip(entries))).toBe(false)
    expect(createInflateRaw).not.toHaveBeenCalled()
  })

  it('end a bomb that declares little at the first byte too many', async () => {
    expect(await isSound(makeZip([{ name: 'a', content: zeros(262_144_001), both: { size: 1000 } }]))).toBe(false)
    expect(jest.mocked(createInflateRaw).mock.results[0]?.value.bytesWritten).toBeLessThan(1000)
  })
})

describe('whatever the bytes', () => {
  const good = makeZip([...few, { ...ann, descriptor: 'signed', extra: extraField(0x5455, Buffer.alloc(5)) }], {
    comment: 'c',
  })

  it('nothing is thrown, nothing that was cut is taken, and no file stays open', async () => {
    const opened = jest.spyOn(fsPromises, 'open')
    const at = fc.nat({ max: good.length - 1 })
    await fc.assert(
      fc.asyncProperty(at, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (place, change, isCut) => {
        const bytes = Buffer.from(isCut ? good.subarray(0, place) : good)
        if (!isCut) bytes.writeUInt8(bytes.readUInt8(place) ^ change, place)
        const verdict = await isSound(bytes)
        if (isCut) expect(verdict).toBe(false)
      }),
      { numRuns: 1000 },
    )
    const handles = await Promise.all(opened.mock.results.map(({ value }) => value as Promise<fsPromises.FileHandle>))
    expect(handles.length).toBeGreaterThanOrEqual(1000)
    expect(handles.filter(({ fd }) => fd !== -1)).toEqual([])
  })

  it('a file that is shorter than was said is no zip', async () => {
    const path = join(folder, 'short.zip')
    await writeFile(path, good.subarray(0, 100))
    expect(await isSoundZip(path, good.length)).toBe(false)
  })

  it('a file that is not there is a fault', async () => {
    await expect(isSoundZip(join(folder, 'none.zip'), 22)).rejects.toThrow('ENOENT')
  })
})
