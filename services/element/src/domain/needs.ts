/** What must be loaded before a batch can be decided. */
import type { ElementInput } from '@worlds/domain/element-input'
import { type BulkItem, type Intent, isBadItem, type ReceiptKey, type Write } from './intent'

export interface Needs {
  /** Elements that are read or changed, whole. */
  readonly elements: Set<string>
  /** Elements that are linked to. */
  readonly targets: Set<string>
  /** Elements that are deleted: whoever links to them is changed too. */
  readonly deleted: Set<string>
  /** Elements that a member changes: what they link to may be more than it sees. */
  readonly cut: Set<string>
  /** Elements that are hidden: deletions of the same ids may be told no longer. */
  readonly hidden: Set<string>
  /** Members whose Characters matter. */
  readonly members: Set<string>
  readonly receipts: ReceiptKey[]
  /** The world's record, and its owner's Character. */
  record: boolean
  /** Who is on the roll. */
  roll: boolean
  /** Who sees the elements that are linked to. */
  sights: boolean
}

export function needsOf(writes: readonly Write[]): Needs {
  const needs: Needs = {
    elements: new Set(),
    targets: new Set(),
    deleted: new Set(),
    cut: new Set(),
    hidden: new Set(),
    members: new Set(),
    receipts: [],
    record: false,
    roll: false,
    sights: false,
  }
  for (const { actor, intent, receipt } of writes) {
    const own = new Set<string>()
    addIntent(needs, own, intent)
    for (const id of own) needs.elements.add(id)
    if (actor.membership !== null) {
      needs.roll = true
      needs.sights = true
      for (const id of own) needs.cut.add(id)
    }
    if (receipt !== null) needs.receipts.push(receipt)
  }
  // Whose sight a change of stored elements moves is known from the roll.
  needs.roll ||= needs.elements.size > 0
  return needs
}

/** Whether a batch rests on the head row alone, and perhaps on the roll. */
export function isEmpty({ elements, targets, members, receipts, record }: Needs): boolean {
  return elements.size + targets.size + members.size + receipts.length === 0 && !record
}

function addIntent(needs: Needs, own: Set<string>, intent: Intent): void {
  switch (intent.kind) {
    case 'create':
      // An id of the server's own making is held nowhere.
      if (intent.input.id !== null) own.add(intent.id)
      addTargets(needs, intent)
      return
    case 'put':
    case 'replace':
    case 'patch':
      own.add(intent.id)
      addTargets(needs, intent)
      return
    case 'delete':
      own.add(intent.id)
      needs.deleted.add(intent.id)
      needs.record = true
      return
    case 'hide':
    case 'unhide':
      if (intent.fault !== null) return
      own.add(intent.id)
      if (intent.kind === 'hide') needs.hidden.add(intent.id)
      return
    case 'links':
      own.add(intent.id)
      for (const id of intent.add) needs.targets.add(id)
      return
    case 'bulk':
      for (const item of intent.items) {
        if (isBadItem(item)) continue
        if (item.input.id !== null) own.add(item.id)
        addTargets(needs, item)
      }
      return
    case 'world':
      needs.record = true
      needs.roll = true
      needs.sights = true
      if (typeof intent.patch.owner_character === 'string') needs.targets.add(intent.patch.owner_character)
      return
    case 'join':
      needs.roll = true
      needs.sights = true
      if (intent.character !== null) needs.targets.add(intent.character)
      return
    case 'change-member':
      needs.roll = true
      needs.sights = true
      needs.members.add(intent.member)
      if (typeof intent.character === 'string') needs.targets.add(intent.character)
      return
    case 'leave':
      needs.roll = true
      return
    case 'forget':
      for (const id of intent.elements) needs.elements.add(id)
      return
  }
}

function addTargets(needs: Needs, { category, input }: Pick<BulkItem, 'category'> & { input: ElementInput }): void {
  for (const field of category.fields) {
    const value = field.kind === 'text' || field.kind === 'generic_type' ? undefined : input.values.get(field.name)
    if (typeof value === 'string') needs.targets.add(value)
    else if (Array.isArray(value)) for (const id of value) needs.targets.add(id)
  }
}
