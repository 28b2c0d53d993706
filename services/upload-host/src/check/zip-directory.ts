/** A zip's end record and central directory: what it says of itself, before any entry is looked at. */
import type { FileWindow } from './file-window'
import { isPlainExtra, isSafeName, utf8Flag } from './zip-fields'

export interface ZipLimits {
  readonly entries: number
  readonly unpackedBytes: number
}

export interface ZipEntry {
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  /** Where its own header lies. */
  readonly offset: number
}

export interface ZipDirectory {
  readonly offset: number
  readonly entries: readonly ZipEntry[]
}

interface End {
  readonly position: number
  readonly count: number
  readonly offset: number
}

const endSignature = Buffer.from('PK\x05\x06', 'latin1')
const zip64LocatorSignature = 0x07064b50
const recordSignature = 0x02014b50
/** Bit 0: encrypted. Bit 6: strong encryption. Bit 13: header values are masked, for an encrypted directory. */
const encryptedFlags = 0x2041

/** Null for what is no plain zip, or one beyond the limits. */
export async function readDirectory(file: FileWindow, limits: ZipLimits): Promise<ZipDirectory | null> {
  const end = await readEnd(file)
  if (end === null || end.count > limits.entries) return null
  const entries: ZipEntry[] = []
  let position = end.offset
  let unpacked = 0
  while (entries.length < end.count) {
    const read = await readRecord(file, position)
    if (read === null) return null
    entries.push(read.entry)
    position = read.next
    unpacked += read.entry.size
    if (unpacked > limits.unpackedBytes) return null
  }
  return position === end.position ? { offset: end.offset, entries } : null
}

async function readEnd(file: FileWindow): Promise<End | null> {
  const tailLength = Math.min(file.size, 22 + 0xffff)
  const tail = await file.at(file.size - tailLength, tailLength)
  if (tail === null || tail.length < 22) return null
  // The last one decides. Another inside of a comment is for readers that look from elsewhere: it refuses the file.
  const at = tail.lastIndexOf(endSignature, tail.length - 22)
  if (at === -1 || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) return null
  const position = file.size - tailLength + at
  const count = tail.readUInt16LE(at + 10)
  const length = tail.readUInt32LE(at + 12)
  const offset = tail.readUInt32LE(at + 16)
  // Several disks, or zip64 by its marks 0xffff and 0xffffffff: neither holds here.
  if (tail.readUInt32LE(at + 4) !== 0 || tail.readUInt16LE(at + 8) !== count) return null
  if (offset + length !== position) return null
  const locator = await file.at(position - 20, 4)
  if (locator !== null && locator.readUInt32LE(0) === zip64LocatorSignature) return null
  return { position, count, offset }
}

async function readRecord(file: FileWindow, position: number): Promise<{ entry: ZipEntry; next: number } | null> {
  const fixed = await file.at(position, 46)
  if (fixed === null || fixed.readUInt32LE(0) !== recordSignature) return null
  const nameLength = fixed.readUInt16LE(28)
  const extraLength = fixed.readUInt16LE(30)
  const next = position + 46 + nameLength + extraLength + fixed.readUInt16LE(32)
  const rest = await file.at(position + 46, nameLength + extraLength)
  if (rest === null || fixed.readUInt16LE(34) !== 0) return null
  const entry = {
    // A copy: a part of the window would hold all of it.
    name: Buffer.from(rest.subarray(0, nameLength)),
    flags: fixed.readUInt16LE(8),
    method: fixed.readUInt16LE(10),
    crc: fixed.readUInt32LE(16),
    packedSize: fixed.readUInt32LE(20),
    size: fixed.readUInt32LE(24),
    offset: fixed.readUInt32LE(42),
  }
  return isPlain(entry) && isPlainExtra(rest.subarray(nameLength)) ? { entry, next } : null
}

/** The marks of zip64 in sizes and offset need no look: no file here is that long. */
function isPlain({ name, flags, method }: ZipEntry): boolean {
  if ((flags & encryptedFlags) !== 0 || !isSafeName(name, (flags & utf8Flag) !== 0)) return false
  return method === 0 || method === 8
}
