import type { FieldValue } from '@worlds/domain/coercion'
import { idsOf, isLinkField, type Members, targetOf } from '@worlds/domain/element-body'
import { invalid, invalidLink, type Refusal } from '@worlds/domain/errors'
import type { Category, Field } from '@worlds/domain/registry'

/** Category of an id that may be linked to, or null when there is no such element. */
export type CategoryOf = (id: string) => string | null

/**
 * Refuses the first link, in field order, that names no element of its category (write rule 11).
 * Only fields in `sent` are looked at: what was stored before holds already.
 */
export function linkFault(
  category: Category,
  members: Members,
  sent: ReadonlyMap<string, FieldValue>,
  categoryOf: CategoryOf,
): Refusal | null {
  for (const field of category.fields) {
    if (!isLinkField(field) || !isSent(field, sent)) continue
    const target = targetOf(field, members)
    for (const id of idsSent(field, sent) ?? idsOf(field, members)) {
      if (target === '') return invalid('element_id', 'element_id needs an element_type.')
      if (categoryOf(id) !== target) return invalidLink(field.name, target)
    }
  }
  return null
}

/** Ids as they were sent, which spares reading them back out of JSON; undefined when the field was not. */
function idsSent(field: Field, sent: ReadonlyMap<string, FieldValue>): readonly string[] | undefined {
  const value = sent.get(field.name)
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? [value] : undefined
}

function isSent(field: Field, sent: ReadonlyMap<string, FieldValue>): boolean {
  return sent.has(field.name) || (field.kind === 'generic_id' && sent.has('element_type'))
}

/**
 * pin's element_type and element_id are one link: a half that is cleared clears the other (D42,
 * open-shapes 1). An id whose type was cleared in the same write is left for {@link linkFault}.
 */
export function settleGenericLink(members: Members, sent: ReadonlyMap<string, unknown>): void {
  const cleared =
    (sent.get('element_type') === '' && typeof sent.get('element_id') !== 'string') ||
    (sent.has('element_id') && sent.get('element_id') === null)
  const hasId = (members.get('element_id') ?? 'null') !== 'null'
  if (cleared || !hasId) {
    members.delete('element_type')
    members.delete('element_id')
  }
}
