/** What must be loaded before a batch can be decided. */
import type { ElementInput } from '@worlds/domain/element-input'
import { type BulkItem, type Intent, isBadItem, type ReceiptKey, type Write } from './intent'

export interface Needs {
  /** Elements that are read or changed, whole. */
  readonly elements: Set<string>
  /** Elements that are linked to, their categories alone. */
  readonly targets: Set<string>
  /** Elements that are deleted: whoever links to them is changed too. */
  readonly deleted: Set<string>
  /** Elements of which it matters whether they are hidden. */
  readonly marks: Set<string>
  readonly receipts: ReceiptKey[]
  /** The world's record. */
  record: boolean
}

export function needsOf(writes: readonly Write[]): Needs {
  const needs: Needs = {
    elements: new Set(),
    targets: new Set(),
    deleted: new Set(),
    marks: new Set(),
    receipts: [],
    record: false,
  }
  for (const { intent, receipt } of writes) {
    addIntent(needs, intent)
    if (receipt !== null) needs.receipts.push(receipt)
  }
  return needs
}

export function isEmpty(needs: Needs): boolean {
  const { elements, targets, deleted, marks, receipts, record } = needs
  return elements.size + targets.size + deleted.size + marks.size + receipts.length === 0 && !record
}

function addIntent(needs: Needs, intent: Intent): void {
  switch (intent.kind) {
    case 'create':
      // An id of the server's own making is held nowhere.
      if (intent.input.id !== null) needs.elements.add(intent.id)
      addTargets(needs, intent)
      return
    case 'put':
    case 'patch':
      needs.elements.add(intent.id)
      addTargets(needs, intent)
      return
    case 'delete':
      needs.elements.add(intent.id)
      needs.deleted.add(intent.id)
      needs.marks.add(intent.id)
      needs.record = true
      return
    case 'hide':
    case 'unhide':
      needs.elements.add(intent.id)
      needs.marks.add(intent.id)
      return
    case 'links':
      needs.elements.add(intent.id)
      for (const id of intent.add) needs.targets.add(id)
      return
    case 'bulk':
      for (const item of intent.items) {
        if (isBadItem(item)) continue
        if (item.input.id !== null) needs.elements.add(item.id)
        addTargets(needs, item)
      }
      return
    case 'world':
      needs.record = true
      if (typeof intent.patch.owner_character === 'string') needs.targets.add(intent.patch.owner_character)
      return
  }
}

function addTargets(needs: Needs, { category, input }: Pick<BulkItem, 'category'> & { input: ElementInput }): void {
  const { fields } = category
  for (const field of fields) {
    const value = field.kind === 'text' || field.kind === 'generic_type' ? undefined : input.values.get(field.name)
    if (typeof value === 'string') needs.targets.add(value)
    else if (Array.isArray(value)) for (const id of value) needs.targets.add(id)
  }
}
