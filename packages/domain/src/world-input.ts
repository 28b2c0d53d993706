/** Reads `PATCH /api/v2/world` (L275; A20, A21). */
import { coerceInteger, coerceText } from './coercion'
import { invalid, RefusalError, unknownField } from './errors'
import { isObject, isStorable } from './json-input'
import { readUuid } from './uuid'

export interface WorldPatch {
  readonly name?: string
  readonly description?: string
  readonly image_url?: string
  readonly time_basic_unit?: string
  readonly time_format_names?: readonly string[]
  readonly time_format_equivalents?: readonly string[]
  readonly time_range_min?: number | null
  readonly time_range_max?: number | null
  readonly time_range_current?: number | null
  readonly owner_character?: string | null
}

type Reader = (name: string, sent: unknown) => unknown

const text =
  (maxLength: number | null): Reader =>
  (name, sent) => {
    const coerced = coerceText(name, maxLength, sent)
    if ('refusal' in coerced) throw new RefusalError(coerced.refusal)
    return coerced.value
  }

const integer: Reader = (name, sent) => {
  const coerced = coerceInteger(name, sent)
  if ('refusal' in coerced) throw new RefusalError(coerced.refusal)
  return coerced.value
}

const texts: Reader = (name, sent) => {
  if (!Array.isArray(sent) || !sent.every((item) => typeof item === 'string' && isStorable(item))) {
    throw new RefusalError(invalid(name, `${name} takes a list of text.`))
  }
  return sent
}

const worldName: Reader = (name, sent) => {
  const value = text(255)(name, sent)
  if (value === '') throw new RefusalError(invalid(name, 'A world has a name.'))
  return value
}

const character: Reader = (name, sent) => {
  const id = sent === null ? null : readUuid(sent)
  if (sent !== null && id === null)
    throw new RefusalError(invalid(name, `${name} takes the id of a Character or null.`))
  return id
}

const readers = new Map<string, Reader>([
  ['name', worldName],
  ['description', text(null)],
  ['image_url', text(1024)],
  ['time_basic_unit', text(null)],
  ['time_format_names', texts],
  ['time_format_equivalents', texts],
  ['time_range_min', integer],
  ['time_range_max', integer],
  ['time_range_current', integer],
  ['owner_character', character],
])

/** Throws the first fault in body order as a RefusalError. */
export function readWorldPatch(value: unknown): WorldPatch {
  if (!isObject(value)) throw new RefusalError(invalid(null, 'The body is a JSON object.'))
  const patch: Record<string, unknown> = {}
  for (const [name, sent] of Object.entries(value)) {
    const read = readers.get(name)
    if (read === undefined) throw new RefusalError(unknownField(name))
    patch[name] = read(name, sent)
  }
  return patch
}
