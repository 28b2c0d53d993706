/** Reads the rows of the load statement. */
import { type Row, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import type {
  Facts,
  Head,
  LinkedElement,
  StoredElement,
  StoredReceipt,
  WithheldElement,
  WorldRecord,
} from '../domain/facts'
import type { Member, Roll } from '../domain/roll'
import { readRecord } from './world-record'

/** Null when the world is absent or closed. */
export function readFacts(rows: readonly Row[], known: Roll | null): Facts | null {
  const elements = new Map<string, StoredElement>()
  const withheld = new Map<string, WithheldElement>()
  const linked = new Map<string, LinkedElement>()
  const elsewhere = new Set<string>()
  const carriers = new Map<string, string[]>()
  const receipts: StoredReceipt[] = []
  const marks = new Set<string>()
  const tombstones: Facts['tombstones'][number][] = []
  const members = new Map<string, Member>()
  let ownerCharacter: string | null | undefined
  let head: Head | null = null
  let record: WorldRecord | null = null
  for (const row of rows) {
    const [kind, a, b] = row
    if (kind === 'h') head = toHead(row)
    else if (kind === 'e' && isSize(row[3])) withheld.set(String(a), toWithheld(row))
    else if (kind === 'e') elements.set(String(a), toStored(row))
    else if (kind === 't') linked.set(String(a), toLinked(row))
    else if (kind === 'i') elsewhere.add(String(a))
    else if (kind === 'c') append(carriers, String(a), String(b))
    else if (kind === 'm') marks.add(String(a))
    else if (kind === 'r') receipts.push(toReceipt(row))
    else if (kind === 'x') tombstones.push(toTombstone(row))
    else if (kind === 'p') addMember(members, row)
    else if (kind === 'o') ownerCharacter = a ?? null
    else record = readRecord(a, b, row[3])
  }
  if (head === null) return null
  // Without a row of the world itself the roll stands as it was known.
  const { timeline, viewVersion } = head
  const roll = ownerCharacter === undefined ? known : { timeline, viewVersion, members, ownerCharacter }
  return { head, roll, elements, withheld, linked, elsewhere, carriers, receipts, marks, tombstones, record }
}

/** A body begins with a brace; a number stands for one that is withheld. */
function isSize(text: string | null | undefined): boolean {
  return text?.startsWith('{') === false
}

function toHead([, head, view, auth, timeline, lastWriteAt, commits]: Row): Head {
  return {
    head: toInteger(head),
    viewVersion: toInteger(view),
    authVersion: toInteger(auth),
    timeline: toInteger(timeline),
    lastWriteAt: toInteger(lastWriteAt),
    commits: toInteger(commits),
  }
}

function toStored([, id, type, body, createdAt, updatedAt, seq, by]: Row): StoredElement {
  return {
    id: String(id),
    type: String(type),
    body: String(body),
    createdAt: toTimestamp(String(createdAt)),
    updatedAt: toTimestamp(String(updatedAt)),
    changeSeq: toInteger(seq),
    createdBy: by ?? null,
  }
}

function toWithheld(row: Row): WithheldElement {
  const stored = toStored(row)
  return { ...stored, body: `{"type":"${stored.type}","id":"${stored.id}"`, size: toInteger(row[3]) }
}

function toLinked([, , type, createdBy, characters]: Row): LinkedElement {
  return { type: String(type), createdBy: createdBy ?? null, characters: toIds(characters) }
}

function toTombstone([, id, createdBy, characters, onRoster, hidden]: Row): Facts['tombstones'][number] {
  return {
    id: String(id),
    createdBy: createdBy ?? null,
    characters: toIds(characters),
    onRoster: onRoster === 'true',
    hidden: hidden === 'true',
  }
}

/** The owner's row is not of the roll: whoever owns the world sees everything. */
function addMember(members: Map<string, Member>, [, id, standing, name, character, place, joinedAt, maker]: Row): void {
  const [kind, role, status] = String(standing).split(' ') as [
    Member['kind'] | 'owner',
    Member['role'],
    Member['status'],
  ]
  if (kind === 'owner') return
  members.set(String(id), {
    id: String(id),
    kind,
    role,
    status,
    name: name ?? null,
    character: character ?? null,
    maker: maker ?? null,
    place: toInteger(place),
    joinedAt: toTimestamp(String(joinedAt)),
  })
}

function toReceipt([, scope, key, hash, status, reply]: Row): StoredReceipt {
  return { scope: String(scope), key: String(key), hash: String(hash), status: toInteger(status), reply: String(reply) }
}

function toIds(list: string | null | undefined): string[] {
  return list === null || list === undefined || list === '' ? [] : list.split(',')
}

function append(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
