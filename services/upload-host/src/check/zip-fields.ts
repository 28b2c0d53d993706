/** What the headers of a zip's entries hold in its directory and before their data alike. */
import { isUtf8 } from 'node:buffer'

/** Bit 11: name and comment are UTF-8; cp437 without it. */
export const utf8Flag = 0x0800
/** Bit 3: checksum and sizes follow the data. */
export const descriptorFlag = 0x0008

const zip64Extra = 0x0001
/** Info-ZIP's second name of an entry, which many readers prefer to the first. */
const unicodePathExtra = 0x7075

/** A name that stays within the folder it is unpacked to. Both encodings hold ASCII as it is. */
export function isSafeName(name: Buffer, isDeclaredUtf8: boolean): boolean {
  if (name.includes(0) || (isDeclaredUtf8 && !isUtf8(name))) return false
  const text = name.toString('latin1')
  if (text.startsWith('/') || text.includes('\\') || /^[a-z]:/i.test(text)) return false
  return !text.split('/').includes('..')
}

/** Well-formed, without zip64. Up to three bytes at the end that are no field are padding of some writers. */
export function isPlainExtra(extra: Buffer): boolean {
  let at = 0
  while (at + 4 <= extra.length) {
    const id = extra.readUInt16LE(at)
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (id === zip64Extra || end > extra.length) return false
    // Its name comes after a version and a checksum.
    if (id === unicodePathExtra && !isSafeName(extra.subarray(at + 9, end), true)) return false
    at = end
  }
  return true
}
