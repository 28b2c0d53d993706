import { type Transaction, toInteger } from '@worlds/runtime/postgres'
import type { Head } from '../domain/facts'
import type { ElementRow, LinkRow, WriteSet } from '../domain/write-set'
import { int4Array, int8Array, textArray, uuidArray } from './binary-array'

const statement = {
  name: 'commit-changes',
  text: `
  select element.commit_changes(
    $1::uuid, $2::uuid, $3::timestamptz, $4::bigint[], $5::bigint, $6::bigint, $7::int,
    $8::uuid[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
    $16::uuid[], $17::int[], $18::text[], $19::text[],
    $20::uuid[], $21::bigint[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::uuid[],
    $28::int[], $29::text[], $30::text[],
    $31::uuid[],
    $32::uuid[], $33::text[], $34::uuid[],
    $35::uuid[], $36::text[], $37::uuid[],
    $38::bigint[], $39::uuid[], $40::text[], $41::uuid[], $42::uuid[], $43::text[], $44::int[], $45::int[],
    $46::uuid[],
    $47::uuid[], $48::text[], $49::bigint[], $50::uuid[],
    $51::jsonb,
    $52::uuid[], $53::text[], $54::text[], $55::text[], $56::text[], $57::uuid[], $58::bigint[],
    $59::uuid[], $60::text[],
    $61::uuid[], $62::uuid[], $63::text[], $64::bigint[],
    $65::text[], $66::text[], $67::text[], $68::int[], $69::text[], $70::timestamptz,
    $71::uuid[], $72::text[])`,
}

export interface Commit {
  readonly worldId: string
  readonly batch: string
  readonly now: string
  readonly seen: Head
  readonly writeSet: WriteSet
  /** Receipts older than this are gone and may be replaced. */
  readonly receiptsSince: string
}

/** SQLSTATE of a commit that found an id taken by another world, or a receipt standing already. */
export const overtaken = ['WD001', 'WD002']

/** False when the world has moved since the decisions were made: nothing is written then. */
export async function commitBatch(tx: Transaction, commit: Commit): Promise<boolean> {
  const { seen, writeSet } = commit
  const [row] = await tx.rows(statement, [
    commit.worldId,
    commit.batch,
    commit.now,
    int8Array([seen.head, seen.viewVersion, seen.authVersion, seen.timeline]),
    writeSet.head,
    viewVersionAfter(commit),
    largestOf(writeSet),
    ...madeColumns(writeSet.made),
    ...changedColumns(writeSet.changed),
    uuidArray(writeSet.deleted),
    ...linkColumns(writeSet.linksGone),
    ...linkColumns(writeSet.linksCome),
    ...tombstoneColumns(writeSet),
    uuidArray(writeSet.marksGone),
    ...markColumns(writeSet),
    writeSet.record === null ? null : JSON.stringify(writeSet.record),
    ...memberColumns(writeSet),
    ...moveColumns(writeSet),
    ...appearanceColumns(writeSet),
    ...receiptColumns(writeSet),
    commit.receiptsSince,
    uuidArray(writeSet.words.map(({ id }) => id)),
    textArray(writeSet.words.map(({ words }) => words)),
  ])
  return row?.[0] === 't'
}

/** What takes no place moves the version instead: the record, an unhide, the roll and its epochs. */
export function viewVersionAfter({ seen, writeSet }: Pick<Commit, 'seen' | 'writeSet'>): number {
  const { record, marksGone, members, moves } = writeSet
  const isMoved = record !== null || marksGone.length + members.length + moves.size > 0
  return seen.viewVersion + (isMoved ? 1 : 0)
}

function largestOf({ made, changed }: WriteSet): number {
  return [...made, ...changed].reduce((largest, { size }) => Math.max(largest, size), 0)
}

function madeColumns(rows: readonly ElementRow[]): Buffer[] {
  return [
    uuidArray(rows.map(({ id }) => id)),
    textArray(rows.map(({ type }) => type)),
    int8Array(rows.map(({ seq }) => seq)),
    ...textColumns(rows),
    uuidArray(rows.map(({ createdBy }) => createdBy)),
    int4Array(rows.map(({ size }) => size)),
    textArray(rows.map(({ body }) => body)),
    textArray(rows.map(({ tail }) => tail)),
  ]
}

function changedColumns(rows: readonly ElementRow[]): Buffer[] {
  return [
    uuidArray(rows.map(({ id }) => id)),
    int8Array(rows.map(({ seq }) => seq)),
    ...textColumns(rows),
    uuidArray(rows.map(({ createdBy }) => createdBy)),
    int4Array(rows.map(({ size }) => size)),
    textArray(rows.map(({ body }) => body)),
    textArray(rows.map(({ tail }) => tail)),
  ]
}

function textColumns(rows: readonly ElementRow[]): Buffer[] {
  return [
    textArray(rows.map(({ name }) => name)),
    textArray(rows.map(({ folded }) => folded)),
    textArray(rows.map(({ supertype }) => supertype)),
    textArray(rows.map(({ subtype }) => subtype)),
    textArray(rows.map(({ imageUrl }) => imageUrl)),
  ]
}

function linkColumns(rows: readonly LinkRow[]): Buffer[] {
  return [
    uuidArray(rows.map(({ target }) => target)),
    textArray(rows.map(({ field }) => field)),
    uuidArray(rows.map(({ source }) => source)),
  ]
}

function tombstoneColumns({ tombstones }: WriteSet): Buffer[] {
  return [
    int8Array(tombstones.map(({ seq }) => seq)),
    uuidArray(tombstones.map(({ id }) => id)),
    textArray(tombstones.map(({ type }) => type)),
    uuidArray(tombstones.map(({ deletedBy }) => deletedBy)),
    uuidArray(tombstones.map(({ createdBy }) => createdBy)),
    textArray(tombstones.map(({ characters }) => characters.join())),
    int4Array(tombstones.map(({ onRoster }) => Number(onRoster))),
    int4Array(tombstones.map(({ hidden }) => Number(hidden))),
  ]
}

function markColumns({ marksCome }: WriteSet): Buffer[] {
  return [
    uuidArray(marksCome.map(({ id }) => id)),
    textArray(marksCome.map(({ type }) => type)),
    int8Array(marksCome.map(({ place }) => place)),
    uuidArray(marksCome.map(({ setBy }) => setBy)),
  ]
}

function memberColumns({ members }: WriteSet): Buffer[] {
  return [
    uuidArray(members.map(({ id }) => id)),
    textArray(members.map(({ kind }) => kind)),
    textArray(members.map(({ role }) => role)),
    textArray(members.map(({ status }) => status)),
    textArray(members.map(({ name }) => name ?? '')),
    uuidArray(members.map(({ character }) => character)),
    int8Array(members.map(({ place }) => place)),
  ]
}

function moveColumns({ moves }: WriteSet): Buffer[] {
  return [uuidArray([...moves.keys()]), textArray([...moves.values()])]
}

function appearanceColumns({ appearances }: WriteSet): Buffer[] {
  return [
    uuidArray(appearances.map(({ character }) => character)),
    uuidArray(appearances.map(({ id }) => id)),
    textArray(appearances.map(({ type }) => type)),
    int8Array(appearances.map(({ seq }) => seq)),
  ]
}

function receiptColumns({ receipts }: WriteSet): Buffer[] {
  return [
    textArray(receipts.map(({ scope }) => scope)),
    textArray(receipts.map(({ key }) => key)),
    textArray(receipts.map(({ hash }) => hash)),
    int4Array(receipts.map(({ status }) => status)),
    textArray(receipts.map(({ reply }) => reply)),
  ]
}

/** How many of the latest commits' ids the head row keeps. */
const remembered = 16

/**
 * Whether a commit that was never answered took place; call it under the world's lock. Unknown when
 * so many others have followed since `seen` that its id may have been forgotten.
 */
export async function wasCommitted(
  tx: Transaction,
  worldId: string,
  batch: string,
  seen: Head,
): Promise<boolean | 'unknown'> {
  const [row] = await tx.rows(
    {
      name: 'was-committed',
      text: `
        select $2::uuid = any (h.recent_batches), h.commits
        from element.world_heads h where h.world_id = $1::uuid`,
    },
    [worldId, batch],
  )
  if (row?.[0] === 't') return true
  return toInteger(row?.[1]) - seen.commits < remembered ? false : 'unknown'
}
