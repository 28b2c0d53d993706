import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { scanMembers } from '@worlds/domain/json-spans'
import type { Item } from './item'

/** What the server says of an element and a client does not send back. */
const servers = ['type', 'created_at', 'updated_at', 'change_seq', 'created_by']

/** Reads NDJSON of `{"type", "element"}` or of feed records; records of deletions are counted and left out. */
export async function readItems(file: string): Promise<{ items: Item[]; skipped: number }> {
  const path = resolve(process.env.INIT_CWD ?? '.', file)
  const source = createReadStream(path)
  const input = path.endsWith('.gz') ? source.pipe(createGunzip()) : source
  source.on('error', (error) => input.destroy(error))
  const items: Item[] = []
  let skipped = 0
  let number = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (line.trim() === '') continue
    const item = readLine(line, `${file}, line ${number}`)
    if (item === undefined) skipped += 1
    else items.push(item)
  }
  return { items, skipped }
}

function readLine(line: string, where: string): Item | undefined {
  const { op, type, element } = parse(line, where)
  if (op === 'delete') return undefined
  if (typeof type !== 'string' || typeof element !== 'object' || element === null || Array.isArray(element)) {
    throw new Error(`${where}: not an object with a type and an element`)
  }
  const members = scanMembers(scanMembers(line).get('element') ?? '{}')
  if (op === 'upsert') for (const name of servers) members.delete(name)
  const id = (element as { id?: unknown }).id
  return { type, id: typeof id === 'string' ? id : undefined, members }
}

function parse(line: string, where: string): { op?: unknown; type?: unknown; element?: unknown } {
  try {
    return (JSON.parse(line) as object | null) ?? {}
  } catch {
    throw new Error(`${where}: not JSON`)
  }
}
