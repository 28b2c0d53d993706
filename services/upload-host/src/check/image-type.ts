/** What an image is, told by its first bytes: a name or a header of the client says nothing. */
import type { ImageType } from '@worlds/storage/kinds'

/** How many first bytes it takes: room for an AVIF's `ftyp` box of 28 compatible brands; common ones have under 10. */
export const headBytes = 128

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const jpeg = Buffer.from([0xff, 0xd8, 0xff])

/** `head` holds the first `headBytes` bytes, or all of a shorter file. */
export function imageTypeOf(head: Buffer): ImageType | null {
  if (head.subarray(0, jpeg.length).equals(jpeg)) return 'jpeg'
  if (head.subarray(0, png.length).equals(png)) return 'png'
  if (textAt(head, 0) === 'RIFF' && textAt(head, 8) === 'WEBP') return 'webp'
  return isAvif(head) ? 'avif' : null
}

/** A box is its length, `ftyp`, the major brand, a version and compatible brands, four bytes each. */
function isAvif(head: Buffer): boolean {
  if (head.length < 16 || textAt(head, 4) !== 'ftyp') return false
  const length = head.readUInt32BE(0)
  if (length < 16 || length > head.length) return false
  if (isAvifBrand(textAt(head, 8))) return true
  for (let at = 16; at + 4 <= length; at += 4) {
    if (isAvifBrand(textAt(head, at))) return true
  }
  return false
}

function isAvifBrand(brand: string): boolean {
  return brand === 'avif' || brand === 'avis'
}

function textAt(head: Buffer, at: number): string {
  return head.toString('latin1', at, at + 4)
}
