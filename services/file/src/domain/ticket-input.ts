/** Reads what a ticket is asked for: without coercion, first fault wins in the order of the fields (D8, A77). */
import { clip, invalid, RefusalError } from '@worlds/domain/errors'
import { isObject, readJson } from '@worlds/domain/json-input'
import { type FileKind, fileKinds, isFileKind } from '@worlds/storage/kinds'

export interface TicketInput {
  readonly name: string
  readonly kind: FileKind
  /** Bytes that the client means to send. */
  readonly size: number
  readonly label: string | null
}

const fields = new Set(['name', 'kind', 'size', 'label'])
/** In UTF-16 units. */
const maxName = 255
/** In code points. */
const maxLabel = 80

export function readTicketInput(body: Uint8Array): TicketInput {
  const { value } = readJson(body)
  if (!isObject(value)) throw new RefusalError(invalid(null, 'The body is not a JSON object.'))
  for (const field of Object.keys(value)) {
    if (!fields.has(field)) throw new RefusalError(invalid(field, `Unknown field: ${clip(field)}.`))
  }
  const { name, kind, size, label = null } = value
  if (typeof name !== 'string' || !name.isWellFormed()) throw new RefusalError(invalid('name', 'name is not text.'))
  if (!isFileKind(kind)) {
    throw new RefusalError(invalid('kind', `kind is one of ${[...fileKinds.keys()].join(', ')}.`))
  }
  const clean = cleanName(name)
  if (clean.length > maxName) throw new RefusalError(invalid('name', `name is longer than ${maxName}.`))
  if (!endsAs(clean, kind)) throw new RefusalError(invalid('name', `The name of a ${kind} ends in ${endings(kind)}.`))
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1) {
    throw new RefusalError(invalid('size', 'size is a whole number of bytes, from 1.'))
  }
  return { name: clean, kind, size, label: readLabel(label) }
}

/** The last part of a path, without control characters and marks that turn the direction of text. */
export function cleanName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return last
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
}

/** With something before the ending. */
function endsAs(name: string, kind: FileKind): boolean {
  const lower = name.toLowerCase()
  const extensions = fileKinds.get(kind)?.extensions ?? []
  return extensions.some((extension) => lower.endsWith(`.${extension}`) && lower.length > extension.length + 1)
}

function endings(kind: FileKind): string {
  return (fileKinds.get(kind)?.extensions ?? []).map((extension) => `.${extension}`).join(' or ')
}

function readLabel(label: unknown): string | null {
  if (label === null || label === '') return null
  if (typeof label !== 'string' || !label.isWellFormed() || label.includes('\0')) {
    throw new RefusalError(invalid('label', 'label is not text.'))
  }
  if ([...label].length > maxLabel) throw new RefusalError(invalid('label', `label is longer than ${maxLabel}.`))
  return label
}
