import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { TextWindow, windowBytes } from './text-window'

function isText(bytes: Buffer, chunkLength = Math.max(1, bytes.length)): boolean {
  const window = new TextWindow()
  for (let at = 0; at < bytes.length; at += chunkLength) {
    if (!window.push(bytes.subarray(at, at + chunkLength))) return false
  }
  return window.end()
}

const long = (length: number, at: number, ...bytes: number[]) => {
  const text = Buffer.alloc(length, 'a')
  Buffer.from(bytes).copy(text, at)
  return text
}
const euro = [0xe2, 0x82, 0xac]

describe.each([1, 3, 4096, 65_536])('a text in chunks of %p', (chunkLength) => {
  it.each([
    ['of nothing', Buffer.alloc(0)],
    ['of ASCII', Buffer.from('# Ann\r\n\t')],
    ['of all planes', Buffer.from('aé€😀')],
    ['with a byte order mark', Buffer.from('\ufeffa')],
    ['that is not json', Buffer.from('{not json')],
    ['with U+FFFD itself', Buffer.from('\ufffd')],
    ['with a NUL right after the window', long(9000, 8192, 0)],
    ['that is no UTF-8 after the window', long(9000, 8192, 0xff)],
    ['with a character across the end of the window', long(9000, 8191, ...euro)],
    ['with a character across it, cut there by the end of the file', long(8193, 8191, 0xe2, 0x82)],
    ['as long as the window', long(8192, 8189, ...euro)],
  ])('is fine %s', (_, bytes) => {
    expect(isText(bytes, chunkLength)).toBe(true)
  })

  it.each([
    ['a NUL', Buffer.from('a\0b')],
    ['a NUL at the last byte of the window', long(9000, 8191, 0)],
    ['a byte that never is UTF-8', Buffer.from([0x61, 0xff])],
    ['such a byte at the end of the window', long(9000, 8191, 0xff)],
    ['latin1', Buffer.from('é', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffab', 'utf16le')],
    ['half a pair', Buffer.from([0xed, 0xa0, 0x80])],
    ['more bytes than a character needs', Buffer.from([0xc0, 0xaf])],
    ['a character that the file ends in', Buffer.from([0x61, 0xe2, 0x82])],
    ['a character that a file as long as the window ends in', long(8192, 8190, 0xe2, 0x82)],
    ['a character that something else follows', long(9000, 8190, 0xe2, 0x61)],
  ])('is refused for %s', (_, bytes) => {
    expect(isText(bytes, chunkLength)).toBe(false)
  })
})

describe('a window', () => {
  it('takes empty chunks', () => {
    const window = new TextWindow()
    expect([window.push(Buffer.alloc(0)), window.push(Buffer.from('a')), window.push(Buffer.alloc(0))]).toEqual([
      true,
      true,
      true,
    ])
    expect(window.end()).toBe(true)
  })

  it('stays refused', () => {
    const window = new TextWindow()
    expect([window.push(Buffer.from('\0')), window.push(Buffer.alloc(9000, 'a')), window.end()]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('says what UTF-8 without NUL is, however the bytes come', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
    )
    const chunks = fc.array(piece, { maxLength: 6 })
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 5 }), (parts, chunkLength) => {
        const bytes = Buffer.concat(parts)
        fc.pre(bytes.length <= windowBytes)
        expect(isText(bytes, chunkLength)).toBe(isUtf8(bytes) && !bytes.includes(0))
      }),
    )
  })
})
