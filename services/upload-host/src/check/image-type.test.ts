import { headBytes, imageTypeOf } from './image-type'

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

function ftyp(major: string, compatible: string[] = [], length = 16 + compatible.length * 4): Buffer {
  const box = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${compatible.join('')}`, 'latin1')
  box.writeUInt32BE(length, 0)
  return box
}

describe('an image is told by its first bytes', () => {
  it.each([
    ['webp', Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1')],
    ['png', Buffer.from(png)],
    ['png', Buffer.from([...png, ...Array<number>(200).fill(7)])],
    ['jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['jpeg', Buffer.from([0xff, 0xd8, 0xff])],
    ['avif', ftyp('avif', ['avif', 'mif1', 'miaf'])],
    ['avif', ftyp('avis')],
    ['avif', ftyp('mif1', ['miaf', 'avif'])],
    ['avif', ftyp('mif1', [...Array<string>(27).fill('miaf'), 'avis'])],
    ['avif', Buffer.concat([ftyp('avif'), Buffer.alloc(headBytes)]).subarray(0, headBytes)],
  ])('as %s', (type, head) => {
    expect(imageTypeOf(head)).toBe(type)
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['html', Buffer.from('<!doctype html>')],
    ['gif', Buffer.from('GIF89a')],
    ['bmp', Buffer.from('BM')],
    ['a cut png', Buffer.from(png.slice(0, 7))],
    ['a png whose line ends were changed', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0a, 0x1a, 0x0a, 0])],
    ['a cut jpeg', Buffer.from([0xff, 0xd8])],
    ['sound in RIFF', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1')],
    ['a cut webp', Buffer.from('RIFF\x24\0\0\0WEB', 'latin1')],
    ['webp in another order', Buffer.from('WEBP\x24\0\0\0RIFF', 'latin1')],
    ['heic', ftyp('heic', ['mif1', 'heic'])],
    ['mp4', ftyp('isom', ['isom', 'mp41'])],
    ['a brand after the box', Buffer.concat([ftyp('mif1', ['miaf']), Buffer.from('avif')])],
    ['a brand across two places', ftyp('mif1', ['xxav', 'ifxx'])],
    ['a brand for a version', Buffer.from('\0\0\0\x10ftypmif1avif', 'latin1')],
    ['a box longer than the head', ftyp('avif', [], headBytes + 4)],
    ['a box shorter than a box', ftyp('avif', [], 8)],
    ['a box to the end of the file', ftyp('avif', [], 0)],
    ['another box', Buffer.from('\0\0\0\x10moovavif\0\0\0\0', 'latin1')],
  ])('not from %s', (_, head) => {
    expect(imageTypeOf(head)).toBeNull()
  })
})
