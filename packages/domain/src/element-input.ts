/** Reads an element as a client sends it: what is known of it without looking at the world. */
import { coerce, type FieldValue } from './coercion'
import { clip, invalid, type Refusal, RefusalError, unknownField } from './errors'
import { isObject, storageFault } from './json-input'
import { scanMembers } from './json-spans'
import type { Category } from './registry'
import { malformedId, readUuid } from './uuid'

export interface ElementInput {
  /** The id sent; null when none was, or when the path decides it. */
  readonly id: string | null
  /** Fields sent, coerced, by name. */
  readonly values: ReadonlyMap<string, FieldValue>
  /** Extension fields sent, as raw JSON text, by name. */
  readonly extensions: ReadonlyMap<string, string>
}

export interface InputRules {
  /** POST and PUT want the key `name`; PATCH does not. */
  readonly requireName: boolean
  /** POST and bulk items read `id`; where the path names the element it is dropped (A18). */
  readonly readId: boolean
  readonly extensionPrefixes: readonly string[]
  /** What another dialect's name for a field is here; throws for one that is not there. */
  readonly nameOf?: (sent: string) => string
}

/** Bytes of an element's extension fields together, as compact JSON. */
export const extensionsLimit = 65_536

/** How many times its compact bytes a value may take as it was sent; escapes take six. What takes more is not even read. */
const longestSpelling = 8

const serverManaged = new Set(['type', 'created_at', 'updated_at', 'change_seq'])
const ignored = new Set(['created_by', 'world'])

/**
 * Throws the first fault in body order as a RefusalError. `text` gives the object's own JSON text;
 * it is asked for only when there are extension fields, whose raw text is kept.
 */
export function readElementInput(
  category: Category,
  value: unknown,
  text: () => string,
  rules: InputRules,
): ElementInput {
  if (!isObject(value)) throw new RefusalError(invalid(null, 'An element is a JSON object.'))
  const values = new Map<string, FieldValue>()
  let extensions: ReadonlyMap<string, string> | undefined
  let id: string | null = null
  for (const [sentName, sent] of Object.entries(value)) {
    const name = rules.nameOf === undefined ? sentName : rules.nameOf(sentName)
    const field = category.writable.get(name)
    if (field !== undefined) {
      const coerced = coerce(field, sent)
      if ('refusal' in coerced) throw new RefusalError(coerced.refusal)
      values.set(name, coerced.value)
    } else if (isExtension(name, rules.extensionPrefixes)) {
      extensions ??= rawExtensions(value, rules, text)
      const fault = storageFault(name, name) ?? storageFault(sent, name)
      if (fault !== null) throw new RefusalError(fault)
    } else if (name === 'id') {
      id = rules.readId ? readSentId(sent) : null
    } else if (!ignored.has(name)) {
      throw new RefusalError(refusedName(name))
    }
  }
  if (rules.requireName && !values.has('name')) throw new RefusalError(invalid('name', 'name is required.'))
  return { id, values, extensions: extensions ?? new Map() }
}

export function isExtension(name: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => name.startsWith(prefix))
}

/** Refuses extension fields that are together over their limit; null when they fit. */
export function extensionsFault(extensions: ReadonlyMap<string, string>): Refusal | null {
  if (extensions.size === 0) return null
  let rawBytes = 2
  for (const [name, raw] of extensions) rawBytes += Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(raw) + 2
  if (rawBytes > extensionsLimit * longestSpelling) return tooLargeExtensions()
  // Raw text is seldom shorter than its compact form, so most elements need no closer look.
  if (rawBytes <= extensionsLimit / 2) return null
  const members = [...extensions].map(([name, raw]) => `${JSON.stringify(name)}:${JSON.stringify(JSON.parse(raw))}`)
  if (Buffer.byteLength(`{${members.join()}}`) <= extensionsLimit) return null
  return tooLargeExtensions()
}

const tooLargeExtensions = () =>
  invalid('extensions', `The extension fields are together over ${extensionsLimit} bytes.`)

function readSentId(sent: unknown): string | null {
  if (sent === null) return null
  const id = readUuid(sent)
  if (id === null) throw new RefusalError(malformedId())
  return id
}

/** Raw text of all extension fields; their size is judged before any of them is looked into. */
function rawExtensions(value: object, rules: InputRules, text: () => string): ReadonlyMap<string, string> {
  const extensions = new Map<string, string>()
  const members = scanMembers(text())
  for (const name of Object.keys(value)) {
    if (isExtension(name, rules.extensionPrefixes)) extensions.set(name, members.get(name) ?? 'null')
  }
  const fault = extensionsFault(extensions)
  if (fault !== null) throw new RefusalError(fault)
  return extensions
}

function refusedName(name: string): Refusal {
  if (serverManaged.has(name)) return invalid(name, `${name} is set by the server.`)
  if (/_ids?$/.test(name)) {
    const bare = clip(name.replace(/_ids?$/, ''))
    return invalid(name, `Unknown field: ${clip(name)}. Links are written under their bare name, here "${bare}".`)
  }
  return unknownField(name)
}
