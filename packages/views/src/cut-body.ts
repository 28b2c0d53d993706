import { readBody, scrub, writeBody } from '@worlds/domain/element-body'
import { categories } from '@worlds/domain/registry'

const opening = /^\{"type":"(\w+)","id":"([0-9a-f-]{36})"/

export interface ShownElement {
  /** The body as it is read, up to the end of its server's fields. */
  readonly text: string
  /** Bytes of it. */
  readonly size: number
}

/** What a row's body and tail show to a reader that does not see `unseen`. `size` is of the row as it is stored. */
export function showRow(
  body: string | null | undefined,
  tail: string | null | undefined,
  unseen: string | null | undefined,
  size: string | null | undefined,
): ShownElement {
  const cut = cutBody(String(body), unseen)
  const text = `${cut}${tail}`
  return { text, size: cut === body ? Number(size) : Buffer.byteLength(text) }
}

/** A stored body without the links to `unseen` ids, which come as PostgreSQL prints an array. */
export function cutBody(body: string, unseen: string | null | undefined): string {
  if (unseen === null || unseen === undefined || unseen === '{}') return body
  const [, type = '', id = ''] = opening.exec(body) ?? []
  const category = categories.get(type)
  if (category === undefined) throw new Error('a stored body begins with its category')
  const members = readBody(body)
  scrub(category, members, new Set(unseen.slice(1, -1).split(',')))
  return writeBody(category, id, members)
}
