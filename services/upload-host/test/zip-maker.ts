/** Makes zips for tests, good ones and any kind of bad ones: each field of each record can be made to lie. */
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** What an entry holds: packed bytes, and what they truly unpack to. */
export interface Content {
  readonly method: number
  readonly packed: Buffer
  readonly crc: number
  readonly size: number
}

/** An entry's fields in its own header or in the directory; `offset` and `disk` are the directory's alone. */
export interface Fields {
  readonly signature: number
  readonly name: string | Buffer
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  readonly extra: Buffer
  readonly disk: number
  readonly offset: number
}

export interface EntryShape {
  readonly name: string | Buffer
  readonly content?: Content
  readonly flags?: number
  readonly extra?: Buffer
  readonly comment?: string
  /** Checksum and sizes follow the data, with a signature or without; `Buffer`: what follows instead. */
  readonly descriptor?: 'signed' | 'bare' | Buffer
  /** What its own header says, or the directory, or both, where that is not the truth. */
  readonly local?: Partial<Fields>
  readonly central?: Partial<Fields>
  readonly both?: Partial<Fields>
  /** Only the directory knows it: with `central.offset` two records can share bytes. */
  readonly isListedOnly?: boolean
}

export interface EndFields {
  readonly disk: number
  readonly directoryDisk: number
  readonly diskCount: number
  readonly count: number
  readonly directorySize: number
  readonly directoryOffset: number
  readonly commentLength: number
}

export interface ZipShape {
  readonly comment?: string | Buffer
  /** Bytes before the first entry that all offsets count in. */
  readonly prefix?: Buffer
  readonly beforeDirectory?: Buffer
  readonly afterDirectory?: Buffer
  readonly isDirectoryReversed?: boolean
  readonly end?: Partial<EndFields>
}

export function makeZip(shapes: readonly EntryShape[], zip: ZipShape = {}): Buffer {
  const parts: Buffer[] = []
  let length = 0
  const put = (...added: Buffer[]) => {
    for (const part of added) {
      parts.push(part)
      length += part.length
    }
  }
  put(zip.prefix ?? Buffer.alloc(0))
  const records: Buffer[] = []
  for (const shape of shapes) {
    const content = shape.content ?? stored('')
    records.push(recordOf(shape, content, length))
    if (shape.isListedOnly !== true) put(headerOf(shape, content), content.packed, descriptorOf(shape, content))
  }
  if (zip.isDirectoryReversed === true) records.reverse()
  put(zip.beforeDirectory ?? Buffer.alloc(0))
  const directoryOffset = length
  put(...records)
  const directorySize = length - directoryOffset
  put(zip.afterDirectory ?? Buffer.alloc(0))
  const comment = Buffer.from(zip.comment ?? '')
  put(
    endOf({ count: shapes.length, directorySize, directoryOffset, commentLength: comment.length, ...zip.end }),
    comment,
  )
  return Buffer.concat(parts)
}

export function stored(bytes: string | Buffer): Content {
  const packed = Buffer.from(bytes)
  return { method: 0, packed, crc: crc32(packed), size: packed.length }
}

export function deflated(bytes: string | Buffer): Content {
  const plain = Buffer.from(bytes)
  return { method: 8, packed: deflateRawSync(plain), crc: crc32(plain), size: plain.length }
}

/** So many zero bytes, deflated to a thousandth, without ever holding them all. */
export function zeros(size: number): Content {
  const block = Buffer.alloc(Math.min(size, 1_048_576))
  const rest = deflateRawSync(Buffer.alloc(size % 1_048_576))
  // A full flush ends at a whole byte and without the mark of the last block: such pieces can follow each other.
  const piece = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH })
  const packed: Buffer[] = []
  let crc = 0
  for (let count = Math.floor(size / 1_048_576); count > 0; count -= 1) {
    packed.push(piece)
    crc = crc32(block, crc)
  }
  return {
    method: 8,
    packed: Buffer.concat([...packed, rest]),
    crc: crc32(block.subarray(0, size % 1_048_576), crc),
    size,
  }
}

/** A field of extra data, as headers hold them after the name. */
export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([u16(id, data.length), data])
}

/** Makes a zip one of zip64 by its end records, whose values stay as small as they are. */
export function asZip64(zip: Buffer): Buffer {
  const at = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const end = zip.subarray(at)
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeUInt32LE(44, 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  record.writeUInt32LE(end.readUInt16LE(8), 24)
  record.writeUInt32LE(end.readUInt16LE(10), 32)
  record.writeUInt32LE(end.readUInt32LE(12), 40)
  record.writeUInt32LE(end.readUInt32LE(16), 48)
  return Buffer.concat([zip.subarray(0, at), record, zip64Locator(at), end])
}

export function zip64Locator(recordOffset: number): Buffer {
  return u32(0x07064b50, 0, recordOffset, 0, 1)
}

/** Flags, method and so on as both headers say them. */
function commonOf(shape: EntryShape, content: Content): Omit<Fields, 'signature' | 'disk' | 'offset'> {
  const flags = (shape.flags ?? 0) | (shape.descriptor === undefined ? 0 : 0x0008)
  const { method, crc, size, packed } = content
  const extra = shape.extra ?? Buffer.alloc(0)
  return { name: shape.name, flags, method, crc, packedSize: packed.length, size, extra, ...shape.both }
}

function headerOf(shape: EntryShape, content: Content): Buffer {
  const known = shape.descriptor === undefined ? {} : { crc: 0, packedSize: 0, size: 0 }
  const fields = { signature: 0x04034b50, ...commonOf(shape, content), ...known, ...shape.local }
  const name = Buffer.from(fields.name)
  return Buffer.concat([u32(fields.signature), u16(20), sharedOf(fields, name), name, fields.extra])
}

function recordOf(shape: EntryShape, content: Content, offset: number): Buffer {
  const fields = { signature: 0x02014b50, ...commonOf(shape, content), disk: 0, offset, ...shape.central }
  const name = Buffer.from(fields.name)
  const comment = Buffer.from(shape.comment ?? '')
  const rest = [u16(comment.length, fields.disk, 0), u32(0, fields.offset), name, fields.extra, comment]
  return Buffer.concat([u32(fields.signature), u16(20, 20), sharedOf(fields, name), ...rest])
}

function sharedOf(fields: Omit<Fields, 'signature' | 'disk' | 'offset'>, name: Buffer): Buffer {
  const { flags, method, crc, packedSize, size, extra } = fields
  return Buffer.concat([u16(flags, method, 0, 0x21), u32(crc, packedSize, size), u16(name.length, extra.length)])
}

function descriptorOf(shape: EntryShape, content: Content): Buffer {
  if (shape.descriptor === undefined) return Buffer.alloc(0)
  if (Buffer.isBuffer(shape.descriptor)) return shape.descriptor
  const signature = shape.descriptor === 'signed' ? [0x08074b50] : []
  return u32(...signature, content.crc, content.packed.length, content.size)
}

function endOf(fields: Partial<EndFields>): Buffer {
  const { disk = 0, directoryDisk = 0, count = 0, directorySize = 0, directoryOffset = 0, commentLength = 0 } = fields
  const counts = u16(disk, directoryDisk, fields.diskCount ?? count, count)
  return Buffer.concat([u32(0x06054b50), counts, u32(directorySize, directoryOffset), u16(commentLength)])
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, index) => {
    bytes.writeUInt16LE(value, index * 2)
  })
  return bytes
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value, index * 4)
  })
  return bytes
}
