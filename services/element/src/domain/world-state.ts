/**
 * One world as a batch of writes sees it: what was loaded in one snapshot, and over it what the
 * batch's earlier writes have put. Reads never see through to the database, so a decision rests on
 * nothing that the commit does not check.
 */
import { type Members, readBody, tailOf, writeBody } from '@worlds/domain/element-body'
import { type Category, categories } from '@worlds/domain/registry'
import type { ReceiptKey } from './intent'

export interface Head {
  readonly head: number
  readonly viewVersion: number
  readonly authVersion: number
  readonly timeline: number
  /** Microseconds since the Unix epoch. */
  readonly lastWriteAt: number
  /** Commits there have been. */
  readonly commits: number
}

export interface StoredElement {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly changeSeq: number
  readonly createdBy: string | null
}

export interface StoredReceipt extends ReceiptKey {
  readonly status: number
  readonly reply: string
}

export interface WorldRecord {
  readonly name: string
  readonly description: string
  readonly image_url: string
  readonly time_format_names: readonly string[]
  readonly time_format_equivalents: readonly string[]
  readonly time_basic_unit: string
  readonly time_range_min: number | null
  readonly time_range_max: number | null
  readonly time_range_current: number | null
  readonly public_read: boolean
  readonly owner_character: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** What one snapshot held of what a batch needs. */
export interface Facts {
  readonly head: Head
  readonly elements: ReadonlyMap<string, StoredElement>
  /** Categories of linked elements of this world. */
  readonly targets: ReadonlyMap<string, string>
  /** Ids that another world holds. */
  readonly elsewhere: ReadonlySet<string>
  /** Who links to an element that is deleted. */
  readonly carriers: ReadonlyMap<string, readonly string[]>
  readonly receipts: readonly StoredReceipt[]
  /** Which of the elements that are hidden, shown again or deleted have a mark. */
  readonly marks: ReadonlySet<string>
  readonly record: WorldRecord | null
}

export interface Element {
  readonly id: string
  readonly category: Category
  readonly members: Members
  readonly createdAt: string
  readonly updatedAt: string
  readonly changeSeq: number
  readonly createdBy: string | null
}

export interface Tombstone {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly deletedBy: string | null
  readonly createdBy: string | null
  readonly characters: readonly string[]
  readonly hidden: boolean
}

/** Hides an element from readers; beside it, not of it. */
export interface Mark {
  readonly id: string
  readonly type: string
  readonly place: number
  readonly setBy: string | null
}

export class WorldState {
  readonly touched = new Map<string, Element | null>()
  readonly tombstones: Tombstone[] = []
  readonly newReceipts: StoredReceipt[] = []
  readonly marksGone = new Set<string>()
  readonly marksCome = new Map<string, Mark>()
  record: WorldRecord | null
  recordChanged = false
  #place: number

  constructor(
    readonly facts: Facts,
    /** The time of everything this batch writes, as the API shows it. */
    readonly now: string,
  ) {
    this.#place = facts.head.head
    this.record = facts.record
  }

  /** The world's head after what was put so far. */
  get head(): number {
    return this.#place
  }

  get isChanged(): boolean {
    const moved = this.#place > this.facts.head.head || this.marksGone.size > 0
    return moved || this.recordChanged || this.newReceipts.length > 0
  }

  /** The element as it stands now, or null. */
  find(id: string): Element | null {
    const touched = this.touched.get(id)
    if (touched !== undefined) return touched
    const stored = this.facts.elements.get(id)
    return stored === undefined ? null : toElement(stored)
  }

  /** Category of an element that is linked to, or null when this world has none of that id. */
  categoryOf(id: string): string | null {
    const touched = this.touched.get(id)
    if (touched !== undefined) return touched?.category.slug ?? null
    return this.facts.targets.get(id) ?? this.facts.elements.get(id)?.type ?? null
  }

  isHeldElsewhere(id: string): boolean {
    return this.facts.elsewhere.has(id)
  }

  /** Whether this batch deletes what was stored under the id: to make it again is the next batch's work. */
  isGoing(id: string): boolean {
    return this.touched.get(id) === null && this.facts.elements.has(id)
  }

  /** Gives the element the next place. */
  put(element: Omit<Element, 'changeSeq' | 'updatedAt'>): Element {
    this.#place += 1
    const placed = { ...element, changeSeq: this.#place, updatedAt: this.now }
    this.touched.set(element.id, placed)
    return placed
  }

  /** Takes the element out and gives its tombstone the next place. */
  remove(element: Element, deletedBy: string | null): void {
    this.#place += 1
    const hidden = this.isHidden(element.id)
    this.touched.set(element.id, null)
    const raw = element.members.get('characters')
    this.tombstones.push({
      seq: this.#place,
      id: element.id,
      type: element.category.slug,
      deletedBy,
      createdBy: element.createdBy,
      characters: raw === undefined ? [] : (JSON.parse(raw) as string[]),
      hidden,
    })
    // A stored mark goes with its element's row.
    this.marksCome.delete(element.id)
    this.marksGone.delete(element.id)
  }

  isHidden(id: string): boolean {
    return this.marksCome.has(id) || (this.facts.marks.has(id) && !this.marksGone.has(id) && !this.isGoing(id))
  }

  /** Marks the element, which takes a place of its own; the element stays as it is. */
  hide({ id, category }: Element, setBy: string | null): void {
    this.#place += 1
    this.marksCome.set(id, { id, type: category.slug, place: this.#place, setBy })
  }

  /** Takes the mark away, which takes no place. */
  unhide(id: string): void {
    this.marksCome.delete(id)
    if (this.facts.marks.has(id)) this.marksGone.add(id)
  }

  /** Who may link to an element: as loaded, and whatever this batch has touched. */
  possibleCarriers(id: string): Element[] {
    const ids = new Set([...(this.facts.carriers.get(id) ?? []), ...this.touched.keys()])
    return [...ids].flatMap((carrier) => this.find(carrier) ?? [])
  }

  changeRecord(change: Partial<WorldRecord>): WorldRecord {
    if (this.record === null) throw new Error('the record was not loaded')
    this.record = { ...this.record, ...change, updated_at: this.now }
    this.recordChanged = true
    return this.record
  }

  findReceipt({ scope, key }: ReceiptKey): StoredReceipt | undefined {
    const isOurs = (receipt: ReceiptKey) => receipt.scope === scope && receipt.key === key
    return this.newReceipts.find(isOurs) ?? this.facts.receipts.find(isOurs)
  }
}

export function toElement(stored: StoredElement): Element {
  const category = categories.get(stored.type)
  if (category === undefined) throw new Error(`no such category: ${stored.type}`)
  return { ...stored, category, members: readBody(stored.body) }
}

/** The element as its writer reads it. */
export function show(element: Element): string {
  return writeBody(element.category, element.id, element.members) + tailOf(element)
}
