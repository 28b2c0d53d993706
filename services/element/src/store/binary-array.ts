/**
 * Encodes array parameters in PostgreSQL's binary form: a Buffer parameter is sent as it is, which
 * spares the escaping of text bodies and the server's parsing of it.
 */
const oids = { text: 25, uuid: 2950, int8: 20, int4: 23 } as const

export function textArray(values: readonly string[]): Buffer {
  const lengths = values.map((value) => Buffer.byteLength(value))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const { buffer, start } = allocate(oids.text, values.length, total)
  let at = start
  values.forEach((value, index) => {
    at = buffer.writeInt32BE(lengths[index] ?? 0, at)
    at += buffer.write(value, at, 'utf8')
  })
  return buffer
}

export function uuidArray(values: readonly (string | null)[]): Buffer {
  const { buffer, start } = allocate(oids.uuid, values.length, values.filter((value) => value !== null).length * 16)
  let at = start
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 16, at)
    if (value !== null) at += buffer.write(value.replaceAll('-', ''), at, 'hex')
  }
  return buffer
}

export function int8Array(values: readonly number[]): Buffer {
  return fixed(oids.int8, 8, values, (buffer, value, at) => buffer.writeBigInt64BE(BigInt(value), at))
}

export function int4Array(values: readonly number[]): Buffer {
  return fixed(oids.int4, 4, values, (buffer, value, at) => buffer.writeInt32BE(value, at))
}

function fixed(
  oid: number,
  width: number,
  values: readonly number[],
  write: (buffer: Buffer, value: number, at: number) => number,
): Buffer {
  const { buffer, start } = allocate(oid, values.length, values.length * width)
  let at = start
  for (const value of values) {
    at = buffer.writeInt32BE(width, at)
    at = write(buffer, value, at)
  }
  return buffer
}

/** Header of a one-dimensional array, and room for its items and their lengths. */
function allocate(oid: number, count: number, bytes: number): { buffer: Buffer; start: number } {
  const dimensions = count === 0 ? 0 : 1
  const buffer = Buffer.allocUnsafe(12 + dimensions * 8 + count * 4 + bytes)
  let at = buffer.writeInt32BE(dimensions, 0)
  at = buffer.writeInt32BE(1, at)
  at = buffer.writeInt32BE(oid, at)
  if (dimensions === 1) {
    at = buffer.writeInt32BE(count, at)
    at = buffer.writeInt32BE(1, at)
  }
  return { buffer, start: at }
}
