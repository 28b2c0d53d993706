import { type Row, type Transaction, toInteger, toTimestamp } from '@worlds/runtime/postgres'
import type { Needs } from '../domain/needs'
import type { Facts, Head, StoredElement, StoredReceipt, WorldRecord } from '../domain/world-state'
import { textArray, uuidArray } from './binary-array'
import { readRecord, recordSql } from './world-record'

/** Locks the world against every other commit until the transaction ends. */
export async function lockHead(tx: Transaction, worldId: string): Promise<void> {
  await tx.rows(
    { name: 'lock-head', text: 'select 1 from element.world_heads h where h.world_id = $1::uuid for update' },
    [worldId],
  )
}

/**
 * All that a batch's decisions rest on, in one statement and so in one snapshot. Each row begins
 * with a letter for what it is. Null when the world is absent or closed.
 */
export const loadStatement = {
  name: 'load-facts',
  text: `
    with carrier as (
      select l.target_id, l.source_id
      from element.links l -- links_pkey
      where l.world_id = $1::uuid and l.target_id = any ($4::uuid[])
    )
    select 'h' as kind, h.head::text as a, h.view_version::text as b, h.auth_version::text as c, h.timeline::text as d,
      (extract(epoch from h.last_write_at) * 1000000)::bigint::text as e, h.commits::text as f, null::text as g
    from element.world_heads h
    where h.world_id = $1::uuid and not h.closed
    union all
    select 'e', e.id::text, e.type, e.body, e.created_at::text, e.updated_at::text, e.change_seq::text,
      e.created_by::text
    from element.elements e -- elements_pkey
    where e.world_id = $1::uuid and e.id = any ($2::uuid[] || array(select c.source_id from carrier c))
    union all
    select 't', e.id::text, e.type, null, null, null, null, null
    from element.elements e -- elements_pkey
    where e.world_id = $1::uuid and e.id = any ($3::uuid[])
    union all
    select 'i', i.id::text, null, null, null, null, null, null
    from element.element_ids i -- element_ids_pkey
    where i.id = any ($2::uuid[]) and i.world_id <> $1::uuid
    union all
    select 'c', c.target_id::text, c.source_id::text, null, null, null, null, null from carrier c
    union all
    select 'r', r.scope, r.key, r.request_hash, r.status::text, r.reply, null, null
    from element.receipts r -- receipts_pkey
    join unnest($5::text[], $6::text[]) as k (scope, key) on r.scope = k.scope and r.key = k.key
    where r.world_id = $1::uuid and r.created_at >= $7::timestamptz
    union all
    select 'm', m.id::text, null, null, null, null, null, null
    from element.marks m -- marks_pkey
    where m.world_id = $1::uuid and m.id = any ($9::uuid[])
    union all
    select 'w', ${recordSql}::text,
      w.created_at::text, w.updated_at::text, null, null, null, null
    from element.worlds w
    where w.world_id = $1::uuid and $8::boolean`,
}

export async function loadFacts(
  tx: Transaction,
  worldId: string,
  needs: Needs,
  receiptsSince: string,
): Promise<Facts | null> {
  const rows = await tx.rows(loadStatement, [
    worldId,
    uuidArray([...needs.elements]),
    uuidArray([...needs.targets]),
    uuidArray([...needs.deleted]),
    textArray(needs.receipts.map(({ scope }) => scope)),
    textArray(needs.receipts.map(({ key }) => key)),
    receiptsSince,
    needs.record,
    uuidArray([...needs.marks]),
  ])
  return toFacts(rows)
}

/** Facts of a batch that rests on the head row alone, which this process knows from its last commit. */
export function factsOf(head: Head): Facts {
  return {
    head,
    elements: new Map(),
    targets: new Map(),
    elsewhere: new Set(),
    carriers: new Map(),
    receipts: [],
    marks: new Set(),
    record: null,
  }
}

function toFacts(rows: readonly Row[]): Facts | null {
  const elements = new Map<string, StoredElement>()
  const targets = new Map<string, string>()
  const elsewhere = new Set<string>()
  const carriers = new Map<string, string[]>()
  const receipts: StoredReceipt[] = []
  const marks = new Set<string>()
  let head: Head | null = null
  let record: WorldRecord | null = null
  for (const row of rows) {
    const [kind, a, b] = row
    if (kind === 'h') head = toHead(row)
    else if (kind === 'e') elements.set(String(a), toStored(row))
    else if (kind === 't') targets.set(String(a), String(b))
    else if (kind === 'i') elsewhere.add(String(a))
    else if (kind === 'c') append(carriers, String(a), String(b))
    else if (kind === 'm') marks.add(String(a))
    else if (kind === 'r') receipts.push(toReceipt(row))
    else record = readRecord(a, b, row[3])
  }
  return head === null ? null : { head, elements, targets, elsewhere, carriers, receipts, marks, record }
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

function toReceipt([, scope, key, hash, status, reply]: Row): StoredReceipt {
  return { scope: String(scope), key: String(key), hash: String(hash), status: toInteger(status), reply: String(reply) }
}

function append(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
