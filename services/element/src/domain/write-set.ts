/** What a decided batch changes in the database: each row once, each link row once. */
import { idsOf, linksOf, type Members, readBody, tailOf, textOf, writeBody } from '@worlds/domain/element-body'
import { foldName } from '@worlds/domain/fold'
import { categories } from '@worlds/domain/registry'
import { elementWords, sameWords } from '@worlds/domain/words'
import type { StoredReceipt, Tombstone, WorldRecord } from './facts'
import type { Member } from './roll'
import type { Moves } from './view-moves'
import type { Element, Mark, WorldState } from './world-state'

export interface ElementRow {
  readonly id: string
  readonly type: string
  readonly seq: number
  readonly name: string
  readonly folded: string
  readonly supertype: string
  readonly subtype: string
  readonly imageUrl: string
  readonly createdBy: string | null
  readonly size: number
  readonly body: string
  readonly tail: string
}

export interface LinkRow {
  readonly target: string
  readonly field: string
  readonly source: string
}

/** A Character is named by an element's `characters`. */
export interface Appearance {
  readonly character: string
  readonly id: string
  readonly type: string
  readonly seq: number
}

/** What full-text search finds an element by; no words take it out. */
export interface ElementWords {
  readonly id: string
  readonly words: string
}

export interface WriteSet {
  readonly head: number
  readonly made: readonly ElementRow[]
  readonly changed: readonly ElementRow[]
  readonly deleted: readonly string[]
  readonly linksGone: readonly LinkRow[]
  readonly linksCome: readonly LinkRow[]
  readonly tombstones: readonly Tombstone[]
  readonly marksGone: readonly string[]
  readonly marksCome: readonly Mark[]
  readonly record: WorldRecord | null
  readonly members: readonly Member[]
  /** Members whose view moved otherwise than by what the feed tells. */
  readonly moves: Moves
  /** Characters that the written elements name, with their places. */
  readonly appearances: readonly Appearance[]
  readonly receipts: readonly StoredReceipt[]
  /** Of elements whose text is another now. */
  readonly words: readonly ElementWords[]
}

export function writeSetOf(world: WorldState, moves: Moves): WriteSet {
  const made: ElementRow[] = []
  const changed: ElementRow[] = []
  const deleted: string[] = []
  const linksGone: LinkRow[] = []
  const linksCome: LinkRow[] = []
  const appearances: Appearance[] = []
  const words: ElementWords[] = []
  for (const [id, element] of world.touched) {
    const stored = world.facts.elements.get(id)
    const old = stored === undefined ? null : readBody(stored.body)
    if (element === null) {
      if (stored !== undefined) deleted.push(id)
    } else {
      const rows = stored === undefined ? made : changed
      rows.push(toRow(element))
      appearances.push(...appearancesIn(element))
      words.push(...newWords(element, old))
    }
    const before = linkRows(id, stored?.type, old)
    const after =
      element === null ? new Map<string, LinkRow>() : rowsByKey(id, linksOf(element.category, element.members))
    for (const [key, row] of before) if (!after.has(key)) linksGone.push(row)
    for (const [key, row] of after) if (!before.has(key)) linksCome.push(row)
  }
  return {
    head: world.head,
    made,
    changed,
    deleted,
    linksGone,
    linksCome,
    tombstones: world.tombstones,
    marksGone: [...world.marksGone],
    marksCome: [...world.marksCome.values()],
    record: world.recordChanged ? world.record : null,
    members: [...world.rollChanges.values()],
    moves,
    appearances,
    receipts: world.newReceipts,
    words,
  }
}

function appearancesIn({ id, category, members, changeSeq }: Element): Appearance[] {
  const field = category.links.get('characters')
  if (field === undefined) return []
  return idsOf(field, members).map((character) => ({ character, id, type: category.slug, seq: changeSeq }))
}

function newWords({ id, category, members }: Element, old: Members | null): ElementWords[] {
  if (old !== null && sameWords(category, members, old)) return []
  const words = elementWords(category, members)
  return words === '' && old === null ? [] : [{ id, words }]
}

function toRow(element: Element): ElementRow {
  const { id, category, members, changeSeq, createdBy } = element
  const body = writeBody(category, id, members)
  const tail = tailOf(element)
  const name = textOf(members, 'name')
  return {
    id,
    type: category.slug,
    seq: changeSeq,
    name,
    folded: foldName(name),
    supertype: textOf(members, 'supertype'),
    subtype: textOf(members, 'subtype'),
    imageUrl: textOf(members, 'image_url'),
    createdBy,
    size: Buffer.byteLength(body) + tail.length,
    body,
    tail,
  }
}

function linkRows(id: string, type: string | undefined, old: Members | null): Map<string, LinkRow> {
  const category = categories.get(type ?? '')
  if (old === null || category === undefined) return new Map()
  return rowsByKey(id, linksOf(category, old))
}

function rowsByKey(source: string, links: readonly { field: string; target: string }[]): Map<string, LinkRow> {
  return new Map(links.map(({ field, target }) => [`${field} ${target}`, { target, field, source }]))
}
