/**
 * One world as a batch of writes sees it: what was loaded in one snapshot, and over it what the
 * batch's earlier writes have put. Reads never see through to the database, so a decision rests on
 * nothing that the commit does not check.
 */
import { idsOf, type Members, readBody, tailOf, writeBody } from '@worlds/domain/element-body'
import { type Category, categories } from '@worlds/domain/registry'
import { type Sight, sees, type View } from '@worlds/domain/view'
import type { Facts, StoredElement, StoredReceipt, Tombstone, WorldRecord } from './facts'
import type { ReceiptKey } from './intent'
import { type Member, rosterOf } from './roll'

export interface Element {
  readonly id: string
  readonly category: Category
  readonly members: Members
  readonly createdAt: string
  readonly updatedAt: string
  readonly changeSeq: number
  readonly createdBy: string | null
}

/** Hides an element from readers; beside it, not of it. */
export interface Mark {
  readonly id: string
  readonly type: string
  readonly place: number
  readonly setBy: string | null
}

type LoadedSight = Pick<Sight, 'createdBy' | 'characters'>

export class WorldState {
  readonly touched = new Map<string, Element | null>()
  readonly tombstones: Tombstone[] = []
  readonly newReceipts: StoredReceipt[] = []
  readonly marksGone = new Set<string>()
  readonly marksCome = new Map<string, Mark>()
  /** Members that joined or changed, as they now are. */
  readonly rollChanges = new Map<string, Member>()
  record: WorldRecord | null
  recordChanged = false
  #place: number
  /** Everybody's Characters as the batch found them, and as it leaves them. */
  readonly rosterBefore: ReadonlySet<string>
  #roster: ReadonlySet<string> | null = null
  readonly #sights = new Map<string, LoadedSight | null>()

  constructor(
    readonly facts: Facts,
    /** The time of everything this batch writes, as the API shows it. */
    readonly now: string,
  ) {
    this.#place = facts.head.head
    this.record = facts.record
    const { members, ownerCharacter = null } = facts.roll ?? {}
    this.rosterBefore = rosterOf(members?.values() ?? [], ownerCharacter)
  }

  /** The world's head after what was put so far. */
  get head(): number {
    return this.#place
  }

  get isChanged(): boolean {
    const moved = this.#place > this.facts.head.head || this.marksGone.size > 0 || this.rollChanges.size > 0
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
    return this.facts.linked.get(id)?.type ?? this.facts.elements.get(id)?.type ?? null
  }

  /** The category as a reader knows it: null when it does not see the element. */
  categorySeen(view: View, id: string): string | null {
    return this.isSeen(view, id) ? this.categoryOf(id) : null
  }

  isSeen(view: View, id: string): boolean {
    if (view.all) return true
    const sight = this.sightOf(id)
    return sight !== null && sees(view, sight)
  }

  /** What a view of an element depends on as the batch leaves it; null for none. */
  sightOf(id: string): Sight | null {
    const touched = this.touched.get(id)
    if (touched === null) return null
    const found = touched === undefined ? this.#loadedSight(id) : sightOfElement(touched)
    return found && { ...found, id, hidden: this.isHidden(id), onRoster: this.roster.has(id) }
  }

  /** The same as the batch found it. */
  sightBefore(id: string): Sight | null {
    const found = this.#loadedSight(id)
    return found && { ...found, id, hidden: this.facts.marks.has(id), onRoster: this.rosterBefore.has(id) }
  }

  /** Kept, for a body with many links asks for the same ones again and again. */
  #loadedSight(id: string): LoadedSight | null {
    let sight = this.#sights.get(id)
    if (sight === undefined) {
      const stored = this.facts.elements.get(id)
      sight = stored === undefined ? (this.facts.linked.get(id) ?? null) : sightOfElement(toElement(stored))
      this.#sights.set(id, sight)
    }
    return sight
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
    const { id, category } = element
    this.#place += 1
    const { createdBy, characters } = sightOfElement(element)
    const [onRoster, hidden] = [this.roster.has(id), this.isHidden(id)]
    this.tombstones.push({
      seq: this.#place,
      id,
      type: category.slug,
      deletedBy,
      createdBy,
      characters,
      onRoster,
      hidden,
    })
    this.touched.set(id, null)
    // A stored mark goes with its element's row.
    this.marksCome.delete(id)
    this.marksGone.delete(id)
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
    this.#roster = null
    return this.record
  }

  /** The roll as the batch leaves it. */
  *members(): Iterable<Member> {
    const stored = this.facts.roll?.members ?? new Map<string, Member>()
    for (const [id, member] of stored) if (!this.rollChanges.has(id)) yield member
    yield* this.rollChanges.values()
  }

  findMember(id: string): Member | null {
    return this.rollChanges.get(id) ?? this.facts.roll?.members.get(id) ?? null
  }

  changeMember(member: Member): void {
    this.rollChanges.set(member.id, member)
    this.#roster = null
  }

  get ownerCharacter(): string | null {
    return this.recordChanged && this.record !== null
      ? this.record.owner_character
      : (this.facts.roll?.ownerCharacter ?? null)
  }

  get roster(): ReadonlySet<string> {
    if (this.rollChanges.size === 0 && !this.recordChanged) return this.rosterBefore
    this.#roster ??= rosterOf(this.members(), this.ownerCharacter)
    return this.#roster
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

function sightOfElement({ category, members, createdBy }: Element): LoadedSight {
  const field = category.links.get('characters')
  return { createdBy, characters: field === undefined ? [] : idsOf(field, members) }
}

/** The element as one who sees all of it reads it. */
export function show(element: Element): string {
  return writeBody(element.category, element.id, element.members) + tailOf(element)
}
