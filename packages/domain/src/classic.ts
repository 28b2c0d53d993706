/**
 * The classic dialect's bodies. Links are written under `<field>_ids` and `<field>_id` and read as stubs under their bare
 * names; a body carries its `world`, and nothing that came after the dialect: no `type`, `change_seq`, `created_by` or
 * extension field (L399 to L401, D18).
 */
import { clip, invalid, RefusalError, unknownField } from './errors'
import { endOfValue } from './json-spans'
import { baseFields, type Category, type Field } from './registry'

/** The name that a field is written under. */
export function classicName({ name, kind }: Field): string {
  if (kind === 'multi_link') return `${name}_ids`
  return kind === 'single_link' ? `${name}_id` : name
}

const writtenNames = new WeakMap<Category, ReadonlyMap<string, string>>()

/** Names of the current dialect by those that are written here. */
function namesOf(category: Category): ReadonlyMap<string, string> {
  let names = writtenNames.get(category)
  if (names === undefined) {
    names = new Map([...category.writable.values()].map((field) => [classicName(field), field.name]))
    writtenNames.set(category, names)
  }
  return names
}

/** What the current dialect calls a field that a classic body names. Throws a RefusalError for what is none. */
export function fromClassicName(category: Category, name: string): string {
  const known = name === 'id' ? name : namesOf(category).get(name)
  if (known === undefined) throw new RefusalError(unknownName(category, name))
  return known
}

function unknownName(category: Category, name: string) {
  const field = category.links.get(name)
  if (field === undefined) return unknownField(name)
  return invalid(name, `Unknown field: ${clip(name)}. Links are written as ${classicName(field)}.`)
}

/** What a refusal of the current dialect calls a field, as it is called here. */
export function classicParam(category: Category, param: string | null): string | null {
  const field = param === null ? undefined : category.writable.get(param)
  return field === undefined ? param : classicName(field)
}

interface Span {
  /** `,"name":` as the stored text has it. */
  readonly lead: string
  readonly isLink: boolean
}

const layouts = new WeakMap<Category, readonly Span[]>()

/** Fields in the order of a body, after `description`. */
function layoutOf(category: Category): readonly Span[] {
  let layout = layouts.get(category)
  if (layout === undefined) {
    layout = [...baseFields.slice(2), ...category.fields].map(({ name }) => ({
      lead: `,"${name}":`,
      isLink: category.links.has(name),
    }))
    layouts.set(category, layout)
  }
  return layout
}

/** Where the parts of a full body lie: the server writes its fields in one order, so none is looked for. */
function walk(category: Category, body: string, visit: (span: Span, start: number, end: number) => void): number {
  let at = endOfDescription(body)
  for (const span of layoutOf(category)) {
    const start = at + span.lead.length
    at = endOfValue(body, start)
    visit(span, start, at)
  }
  return at
}

/** `{"type":"…","id":"…","name":…,"description":…` */
function endOfDescription(body: string): number {
  const name = endOfValue(body, body.indexOf(',"name":') + ',"name":'.length)
  return endOfValue(body, name + ',"description":'.length)
}

/** Ids that the links of a full body name. */
export function linkedIds(category: Category, body: string): string[] {
  const ids: string[] = []
  walk(category, body, ({ isLink }, start, end) => {
    // Neither null nor an empty list is as long as an id.
    if (isLink && end - start > 36) ids.push(...idsIn(body, start, end))
  })
  return ids
}

/** Every id stands in quotes, and nothing else does. */
function idsIn(body: string, start: number, end: number): string[] {
  const ids: string[] = []
  for (let at = body.indexOf('"', start); at >= 0 && at < end; at = body.indexOf('"', at + 38)) {
    ids.push(body.slice(at + 1, at + 37))
  }
  return ids
}

/**
 * A full body as this dialect shows it. `stubs` holds JSON text by id; an id without one has gone meanwhile and is left
 * out.
 */
export function toClassic(
  category: Category,
  body: string,
  worldId: string,
  stubs: ReadonlyMap<string, string>,
): string {
  const id = body.indexOf(',"id":"') + 1
  const description = endOfDescription(body)
  let shown = `{${body.slice(id, description)},"world":"${worldId}"`
  walk(category, body, ({ lead, isLink }, start, end) => {
    shown += lead
    if (!isLink) shown += body.slice(start, end)
    else if (body[start] === '[') shown += `[${stubsOf(body, start, end, stubs).join()}]`
    else shown += stubsOf(body, start, end, stubs)[0] ?? 'null'
  })
  // Extension fields stand between; the server's own never hold a brace or a quoted name of theirs.
  const tail = body.lastIndexOf(',"created_at":"')
  return `${shown}${body.slice(tail, body.indexOf(',"change_seq":', tail))}}`
}

function stubsOf(body: string, start: number, end: number, stubs: ReadonlyMap<string, string>): string[] {
  if (end - start <= 36) return []
  return idsIn(body, start, end).flatMap((id) => stubs.get(id) ?? [])
}
