import type { FileKind } from '@worlds/storage/kinds'
import { checkFor, ImageCheck, type StreamCheck } from './checks'
import { headBytes } from './image-type'

function passes(check: StreamCheck, bytes: Buffer, chunkLength: number): boolean {
  for (let at = 0; at < bytes.length; at += chunkLength) {
    if (!check.push(bytes.subarray(at, at + chunkLength))) return false
    if (!check.push(Buffer.alloc(0))) return false
  }
  return check.end()
}

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const text = (content: string) => Buffer.from(content, 'latin1')

describe.each([1, 2, 5, 65_536])('in chunks of %p', (chunkLength) => {
  it.each<[FileKind, string, boolean]>([
    ['pdf', '%PDF-1.7\n', true],
    ['pdf', '%PDF-', true],
    ['pdf', '%PDF-\0\xff', true],
    ['pdf', '%PDF', false],
    ['pdf', '%PDF1.7', false],
    ['pdf', '\n%PDF-1.7', false],
    ['pdf', '', false],
    ['zip', 'PK\x03\x04 and so on', true],
    ['zip', 'PK\x05\x06', true],
    ['zip', 'PK\x03', false],
    ['zip', 'PK\x01\x02', false],
    ['zip', 'PK\x03\x06', false],
    ['zip', 'MZ', false],
    ['zip', '', false],
    ['txt', 'a', true],
    ['md', '# a', true],
    ['json', 'not json', true],
    ['csv', 'a;b', true],
    ['yaml', 'a: b', true],
    ['toml', 'a = "b"', true],
    ['txt', '\xff', false],
    ['md', 'a\0', false],
    ['json', '\xe2\x82', false],
    ['csv', '\xe9', false],
    ['yaml', '\0', false],
    ['toml', '\xc0\xaf', false],
  ])('%s of %p: %p', (kind, bytes, isFine) => {
    expect(passes(checkFor(kind), text(bytes), chunkLength)).toBe(isFine)
  })

  it.each([
    ['short', png],
    ['as long as the head', Buffer.concat([png, Buffer.alloc(headBytes - png.length)])],
    ['longer', Buffer.concat([png, Buffer.alloc(1000)])],
  ])('finds the type of an image that is %s', (_, bytes) => {
    const check = new ImageCheck()
    expect(passes(check, bytes, chunkLength)).toBe(true)
    expect(check.type).toBe('png')
  })

  it.each([
    ['of nothing', Buffer.alloc(0)],
    ['of a few bytes', png.subarray(0, 7)],
    ['of many', Buffer.alloc(1000, 'a')],
  ])('refuses an image %s', (_, bytes) => {
    const check = new ImageCheck()
    expect(passes(check, bytes, chunkLength)).toBe(false)
    expect(check.type).toBeNull()
  })
})

describe('what cannot become right', () => {
  it('is refused at the first wrong byte', () => {
    expect(checkFor('pdf').push(text('%X'))).toBe(false)
    expect(checkFor('zip').push(text('Q'))).toBe(false)
  })

  it('is refused as an image once the head is there, and not before', () => {
    const check = new ImageCheck()
    expect(check.push(Buffer.alloc(headBytes - 1))).toBe(true)
    expect(check.push(Buffer.alloc(1))).toBe(false)
    expect(check.push(png)).toBe(false)
    expect(check.end()).toBe(false)
  })
})
