/** Reads what a ticket is asked for: without coercion, the first fault in the order of the body (D8, A77). */
import { invalid, RefusalError, unknownField } from '@worlds/domain/errors'
import { isStorable, readObject } from '@worlds/domain/json-input'
import { type FileKind, fileKinds, isFileKind } from '@worlds/storage/kinds'

export interface TicketInput {
  readonly name: string
  readonly kind: FileKind
  /** Bytes that the client means to send. */
  readonly size: number
  readonly label: string | null
}

/** In UTF-16 units. */
const maxName = 255
/** In code points. */
const maxLabel = 80

type Fields = Record<string, unknown>

/** What is wrong with a field of the body, or null; in the order in which missing ones are told. */
const faults: Readonly<Record<string, (fields: Fields) => string | null>> = {
  name: nameFault,
  kind: ({ kind }) => (isFileKind(kind) ? null : `kind is one of ${[...fileKinds.keys()].join(', ')}.`),
  size: ({ size }) =>
    Number.isSafeInteger(size) && Number(size) >= 1 ? null : 'size is a whole number of bytes, from 1.',
  label: labelFault,
}

export function readTicketInput(body: Uint8Array): TicketInput {
  const value = readObject(body)
  for (const field of [...Object.keys(value), ...Object.keys(faults)]) {
    if (!Object.hasOwn(faults, field)) throw new RefusalError(unknownField(field))
    const fault = faults[field]?.(value)
    if (fault) throw new RefusalError(invalid(field, fault))
  }
  const { name, kind, size, label } = value as { name: string; kind: FileKind; size: number; label?: string | null }
  return { name: cleanName(name), kind, size, label: label || null }
}

function nameFault({ name, kind }: Fields): string | null {
  if (typeof name !== 'string' || !name.isWellFormed()) return 'name is not text.'
  const clean = cleanName(name)
  if (clean.length > maxName) return `name is longer than ${maxName}.`
  return isFileKind(kind) && !endsAs(clean, kind) ? `The name of a ${kind} ends in ${endings(kind)}.` : null
}

function labelFault({ label = null }: Fields): string | null {
  if (label === null) return null
  if (typeof label !== 'string' || !isStorable(label)) return 'label is not text.'
  return [...label].length > maxLabel ? `label is longer than ${maxLabel}.` : null
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
