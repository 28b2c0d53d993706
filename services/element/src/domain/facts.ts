/** What a batch of writes was loaded from its world, in one snapshot. */
import type { ReceiptKey } from './intent'
import type { Roll } from './roll'

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

/** An element whose body holds its type and id alone. */
export interface WithheldElement extends StoredElement {
  /** Bytes of the whole element. */
  readonly size: number
}

/** As much of an element as a link to it, or its sight, depends on. */
export interface LinkedElement {
  readonly type: string
  readonly createdBy: string | null
  /** Ids that its `characters` name. */
  readonly characters: readonly string[]
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

export interface Tombstone {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly deletedBy: string | null
  /** Who could see the element when it went (B12). */
  readonly createdBy: string | null
  readonly characters: readonly string[]
  readonly onRoster: boolean
  readonly hidden: boolean
}

/** What one snapshot held of what a batch needs. */
export interface Facts {
  readonly head: Head
  /** Null for a batch that needs none of it. */
  readonly roll: Roll | null
  readonly elements: ReadonlyMap<string, StoredElement>
  /** Elements whose bodies were not loaded, for those before them took all that may be loaded at once. */
  readonly withheld: ReadonlyMap<string, WithheldElement>
  /** Elements of this world that are linked to, or whose sight matters. */
  readonly linked: ReadonlyMap<string, LinkedElement>
  /** Ids that another world holds. */
  readonly elsewhere: ReadonlySet<string>
  /** Who links to an element that is deleted. */
  readonly carriers: ReadonlyMap<string, readonly string[]>
  readonly receipts: readonly StoredReceipt[]
  /** Which of all these elements are hidden. */
  readonly marks: ReadonlySet<string>
  /** Earlier deletions of ids that are being hidden. */
  readonly tombstones: readonly Pick<Tombstone, 'id' | 'createdBy' | 'characters' | 'onRoster' | 'hidden'>[]
  readonly record: WorldRecord | null
}
