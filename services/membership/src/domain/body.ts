import { invalid, RefusalError, unknownField } from '@worlds/domain/errors'
import { readUuid } from '@worlds/domain/uuid'
import { memberRoles } from './members'

/** Reads one field's value, or throws the refusal that names the field. */
export type Reader<T> = (value: unknown, field: string) => T

type Readers = Record<string, Reader<unknown>>

/** The fields that were sent. */
export type Fields<R extends Readers> = { readonly [K in keyof R]?: ReturnType<R[K]> }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads a body that must be a JSON object of known fields. The first fault in the body's order is the one told. */
export function readBody<R extends Readers>(bytes: Uint8Array, readers: R): Fields<R> {
  const fields: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(parseObject(bytes))) {
    const read = Object.hasOwn(readers, field) ? readers[field] : undefined
    if (read === undefined) throw new RefusalError(unknownField(field))
    fields[field] = read(value, field)
  }
  return fields as Fields<R>
}

/** As `readBody`, for routes that need no field: clients may then send no body at all. */
export function readOptionalBody<R extends Readers>(bytes: Uint8Array, readers: R): Fields<R> {
  return bytes.length === 0 ? {} : readBody(bytes, readers)
}

function parseObject(bytes: Uint8Array): object {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    throw new RefusalError(invalid(null, 'The body is not JSON.'))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new RefusalError(invalid(null, 'The body is not a JSON object.'))
}

/** Text of `min` to `max` code points that PostgreSQL stores as it is: no NUL, no half of a surrogate pair. */
export function text({ min = 0, max }: { min?: number; max: number }): Reader<string> {
  return (value, field) => {
    if (typeof value !== 'string') throw new RefusalError(invalid(field, `${field} must be text.`))
    if (/\0|\p{Surrogate}/u.test(value)) {
      throw new RefusalError(invalid(field, `${field} holds a character that text cannot have.`))
    }
    const length = [...value].length
    if (length < min) throw new RefusalError(invalid(field, `${field} must not be empty.`))
    if (length > max) throw new RefusalError(invalid(field, `${field} has more than ${max} characters.`))
    return value
  }
}

export const name = text({ max: 255 })

export const worldName = text({ min: 1, max: 255 })

export const flag: Reader<boolean> = (value, field) => {
  if (typeof value === 'boolean') return value
  throw new RefusalError(invalid(field, `${field} must be true or false.`))
}

/** One of the words given. */
export function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return (value, field) => {
    const word = words.find((known) => known === value)
    if (word !== undefined) return word
    throw new RefusalError(invalid(field, `${field} must be ${words.map((known) => `"${known}"`).join(' or ')}.`))
  }
}

/** The id of an element, or null. */
export const optionalId: Reader<string | null> = (value, field) => {
  const id = value === null ? null : readUuid(value)
  if (id !== null || value === null) return id
  throw new RefusalError(invalid(field, `${field} must be a UUID or null.`))
}

export const scope = oneOf(['read', 'write'])

export const role = oneOf(memberRoles)

export const agentName = text({ min: 1, max: 80 })
