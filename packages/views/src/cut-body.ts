import { readBody, scrub, writeBody } from '@worlds/domain/element-body'
import { categories } from '@worlds/domain/registry'

const opening = /^\{"type":"(\w+)","id":"([0-9a-f-]{36})"/

/** A stored body without the links to `unseen` ids, which come as PostgreSQL prints an array. */
export function cutBody(body: string, unseen: string | null | undefined): string {
  if (unseen === null || unseen === undefined || unseen === '{}') return body
  const [, type = '', id = ''] = opening.exec(body) ?? []
  const category = categories.get(type)
  if (category === undefined) throw new Error('a stored body begins with its category')
  const members = readBody(body)
  for (const target of new Set(unseen.slice(1, -1).split(','))) scrub(category, members, target)
  return writeBody(category, id, members)
}
