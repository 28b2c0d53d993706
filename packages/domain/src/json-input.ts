import { createHash } from 'node:crypto'
import { invalid, type Refusal, RefusalError } from './errors'
import { nestingExcess } from './json-nesting'

/** A request body as text and as value. */
export interface JsonInput {
  readonly text: string
  readonly value: unknown
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a body that must be JSON in UTF-8; a byte order mark is let through (A35). */
export function readJson(body: Uint8Array): JsonInput {
  const excess = nestingExcess(body)
  if (excess !== null) {
    throw new RefusalError(invalid(excess.member, 'This nests too deep, or holds too many lists, objects and names.'))
  }
  try {
    const text = utf8.decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    throw new RefusalError(invalid(null, 'The body is not JSON in UTF-8.'))
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a body that must be a JSON object. */
export function readObject(body: Uint8Array): Record<string, unknown> {
  const { value } = readJson(body)
  if (!isObject(value)) throw new RefusalError(invalid(null, 'The body is not a JSON object.'))
  return value
}

/** Text that can be stored and given back unchanged: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** How deep a value may nest. */
export const maxDepth = 64

/** Why a value of any shape can't be stored verbatim; null when it can. */
export function storageFault(value: unknown, param: string, depth = 0): Refusal | null {
  if (typeof value === 'string') {
    return isStorable(value) ? null : invalid(param, 'Text may hold neither NUL nor a lone surrogate.')
  }
  if (typeof value !== 'object' || value === null) return null
  if (depth >= maxDepth) return invalid(param, `The value nests deeper than ${maxDepth} levels.`)
  if (Array.isArray(value)) return firstFault(value, (child) => storageFault(child, param, depth + 1))
  return firstFault(
    Object.keys(value),
    (key) => storageFault(key, param) ?? storageFault((value as Record<string, unknown>)[key], param, depth + 1),
  )
}

function firstFault<T>(items: readonly T[], faultOf: (item: T) => Refusal | null): Refusal | null {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== null) return fault
  }
  return null
}

/**
 * Identifies a request by what it asks: the route and the body without regard to white space or
 * the order of keys (A41). Bodies too deep to be accepted anywhere are told apart by their bytes.
 */
export function requestHash(route: string, input: JsonInput): string {
  const canonical = canonicalText(input.value, 0)
  return createHash('sha256')
    .update(`${route}\n`)
    .update(canonical ?? input.text)
    .digest('base64url')
}

function canonicalText(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth > maxDepth + 8) return null
  // Most lists are of ids or numbers, by the thousand.
  if (Array.isArray(value) && value.every((child) => typeof child !== 'object' || child === null)) {
    return JSON.stringify(value)
  }
  const parts: string[] = []
  const isList = Array.isArray(value)
  const keys = isList ? value.keys() : Object.keys(value).sort()
  for (const key of keys) {
    const child = canonicalText((value as Record<string | number, unknown>)[key], depth + 1)
    if (child === null) return null
    parts.push(isList ? child : `${JSON.stringify(key)}:${child}`)
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`
}
