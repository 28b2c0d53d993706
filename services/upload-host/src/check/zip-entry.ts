/** One entry of a zip: its own header, its data and what follows them, against what the directory says. */
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { chunkBytes, type FileWindow } from './file-window'
import type { ZipEntry } from './zip-directory'
import { descriptorFlag, isPlainExtra } from './zip-fields'

const headerSignature = 0x04034b50
const descriptorSignature = 0x08074b50
/** Bits 1 and 2 tell how hard a writer tried: some know it only after the header is out. */
const hintFlags = 0x0006

/** Whether it takes up all bytes up to `end`, where the next begins. Nothing is unpacked before that is clear. */
export async function isSoundEntry(file: FileWindow, entry: ZipEntry, end: number): Promise<boolean> {
  const header = await file.at(entry.offset, 30)
  if (header === null || !agrees(header, entry)) return false
  const nameLength = header.readUInt16LE(26)
  const extraLength = header.readUInt16LE(28)
  const rest = await file.at(entry.offset + 30, nameLength + extraLength)
  if (rest === null || !rest.subarray(0, nameLength).equals(entry.name)) return false
  if (!isPlainExtra(rest.subarray(nameLength))) return false
  const start = entry.offset + 30 + nameLength + extraLength
  if (!(await isDescribed(file, entry, start + entry.packedSize, end))) return false
  return entry.method === 0 ? isTrueStored(file, entry, start) : isTrueDeflated(file, entry, start)
}

function agrees(header: Buffer, { flags, method, crc, packedSize, size }: ZipEntry): boolean {
  if (header.readUInt32LE(0) !== headerSignature || header.readUInt16LE(8) !== method) return false
  if (((header.readUInt16LE(6) ^ flags) & ~hintFlags) !== 0) return false
  // With a descriptor each value is either left to it or said here already.
  const isOpen = (flags & descriptorFlag) !== 0
  return [crc, packedSize, size].every((value, index) => {
    const found = header.readUInt32LE(14 + index * 4)
    return found === value || (isOpen && found === 0)
  })
}

/** Between data and `end` lies a descriptor, with or without a signature, or nothing when none is announced. */
async function isDescribed(file: FileWindow, entry: ZipEntry, dataEnd: number, end: number): Promise<boolean> {
  const length = end - dataEnd
  if ((entry.flags & descriptorFlag) === 0) return length === 0
  if (length !== 12 && length !== 16) return false
  const bytes = await file.at(dataEnd, length)
  if (bytes === null || (length === 16 && bytes.readUInt32LE(0) !== descriptorSignature)) return false
  const { crc, packedSize, size } = entry
  return [crc, packedSize, size].every((value, index) => bytes.readUInt32LE(length - 12 + index * 4) === value)
}

async function isTrueStored(file: FileWindow, entry: ZipEntry, start: number): Promise<boolean> {
  const tally = new Tally(entry)
  for await (const chunk of file.chunks(start, entry.packedSize)) tally.add(chunk)
  return tally.isRight
}

async function isTrueDeflated(file: FileWindow, entry: ZipEntry, start: number): Promise<boolean> {
  const tally = new Tally(entry)
  // Some writers call a folder deflated and write nothing.
  if (entry.packedSize === 0) return tally.isRight
  const inflater = createInflateRaw({ chunkSize: chunkBytes })
  await feed(inflater, file, start, entry.packedSize)
  try {
    for await (const chunk of inflater) {
      if (!tally.add(chunk)) return false
    }
  } catch (error) {
    if (isBadDeflate(error)) return false
    throw error
  }
  // Bytes after the end of the deflated data are part of no entry.
  return tally.isRight && inflater.bytesWritten === entry.packedSize
}

/** Failures of either side come out of the inflater. */
async function feed(inflater: InflateRaw, file: FileWindow, start: number, length: number): Promise<void> {
  // Of ten thousand entries most are small; a pipeline would cost each three times what unpacking it does.
  if (length <= chunkBytes) inflater.end(await file.at(start, length))
  else pipeline(Readable.from(file.chunks(start, length)), inflater, () => {})
}

function isBadDeflate(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR'
}

/** Counts what an entry really holds. */
class Tally {
  readonly #entry: ZipEntry
  #size = 0
  #crc = 0

  constructor(entry: ZipEntry) {
    this.#entry = entry
  }

  /** False once it is more than was declared. */
  add(chunk: Buffer): boolean {
    this.#size += chunk.length
    this.#crc = crc32(chunk, this.#crc)
    return this.#size <= this.#entry.size
  }

  get isRight(): boolean {
    return this.#size === this.#entry.size && this.#crc === this.#entry.crc
  }
}
