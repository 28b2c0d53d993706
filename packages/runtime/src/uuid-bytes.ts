/** Many ids in one field of a message: 16 bytes each, in order. */

export function packIds(ids: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(ids.length * 16)
  ids.forEach((id, index) => {
    bytes.write(id.replaceAll('-', ''), index * 16, 'hex')
  })
  return bytes
}

export function unpackIds(bytes: Buffer): string[] {
  const ids: string[] = []
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const hex = bytes.toString('hex', at, at + 16)
    ids.push([hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'))
  }
  return ids
}
