/**
 * The stored form of an element: the JSON text it is read as, without the server's fields and
 * without the closing brace, which are appended on the way out.
 */
import type { FieldValue } from './coercion'
import { scanMembers } from './json-spans'
import { baseFields, type Category, type Field, type FieldKind } from './registry'

/** Raw JSON text of an element's client fields by name: known fields that are not empty, and extensions. */
export type Members = Map<string, string>

const emptyText: Record<FieldKind, string> = {
  text: '""',
  integer: 'null',
  single_link: 'null',
  multi_link: '[]',
  generic_type: '""',
  generic_id: 'null',
}

const layouts = new Map<string, { readonly names: ReadonlySet<string>; readonly parts: readonly Part[] }>()

interface Part {
  readonly name: string
  /** `,"name":` */
  readonly lead: string
  readonly empty: string
}

/** Members of a stored body, `type` and `id` left out. */
export function readBody(body: string): Members {
  const members = scanMembers(`${body}}`)
  members.delete('type')
  members.delete('id')
  return members
}

/** Stored body of an element, fields in canonical order, extensions after them. */
export function writeBody(category: Category, id: string, members: Members): string {
  const layout = layoutOf(category)
  let body = `{"type":"${category.slug}","id":"${id}"`
  for (const part of layout.parts) body += part.lead + (members.get(part.name) ?? part.empty)
  for (const [name, raw] of members) {
    if (!layout.names.has(name)) body += `,${JSON.stringify(name)}:${raw}`
  }
  return body
}

/** Bytes that an element's fields may take together, as compact JSON without those that are empty. */
export const storedLimit = 2_621_440

/** Whether an element's fields take more than {@link storedLimit} bytes. */
export function isOverStoredLimit(members: Members): boolean {
  let units = 1
  for (const [name, raw] of members) units += name.length + raw.length + 4
  // No character takes more than three bytes for each of its UTF-16 code units.
  if (units * 3 <= storedLimit) return false
  // Braces, and for each member quotes, a colon and a comma, which the last has none of.
  let bytes = 1
  for (const [name, raw] of members) bytes += Buffer.byteLength(name) + Buffer.byteLength(raw) + 4
  return bytes > storedLimit
}

/** Extension fields among an element's members. */
export function extensionsOf(category: Category, members: Members): Map<string, string> {
  const { names } = layoutOf(category)
  return new Map([...members].filter(([name]) => !names.has(name)))
}

export function rawValue(value: FieldValue): string {
  return JSON.stringify(value)
}

/** A text field's value. */
export function textOf(members: Members, name: string): string {
  const raw = members.get(name)
  return raw === undefined ? '' : (JSON.parse(raw) as string)
}

export interface Link {
  readonly field: string
  readonly target: string
}

/** Ids that one link field holds. */
export function idsOf(field: Field, members: Members): string[] {
  const raw = members.get(field.name)
  if (raw === undefined || raw === 'null' || raw === '[]') return []
  const value = JSON.parse(raw) as string | string[]
  return typeof value === 'string' ? [value] : value
}

/** Every link of an element, pin's generic one included. */
export function linksOf(category: Category, members: Members): Link[] {
  const links: Link[] = []
  for (const field of category.fields) {
    if (!isLinkField(field)) continue
    for (const target of idsOf(field, members)) links.push({ field: field.name, target })
  }
  return links
}

/** Category that a link must point to; for pin's generic link, the one its element_type names. */
export function targetOf(field: Field, members: Members): string {
  return field.target ?? textOf(members, 'element_type')
}

/** Takes ids out of every link, each field in one pass; false when no link named one of them. */
export function scrub(category: Category, members: Members, gone: ReadonlySet<string>): boolean {
  const [only] = gone.size === 1 ? gone : []
  let found = false
  for (const field of category.fields) {
    // Looked for in the raw text first: an element that many link to has many carriers to go through.
    if (!isLinkField(field) || (only !== undefined && !members.get(field.name)?.includes(only))) continue
    const ids = idsOf(field, members)
    const left = ids.filter((id) => !gone.has(id))
    if (left.length === ids.length) continue
    found = true
    if (field.kind === 'multi_link') members.set(field.name, rawValue(left))
    else members.delete(field.name)
    if (field.kind === 'generic_id') members.delete('element_type')
  }
  return found
}

/** Writes other ids into links; a target without one stays. */
export function relink(category: Category, members: Members, ids: ReadonlyMap<string, string>): void {
  for (const field of category.fields) {
    if (!isLinkField(field) || !members.has(field.name)) continue
    const targets = idsOf(field, members).map((target) => ids.get(target) ?? target)
    const [only = null] = targets
    if (only !== null) members.set(field.name, rawValue(field.kind === 'multi_link' ? targets : only))
  }
}

export function isLinkField(field: Field): boolean {
  return field.kind === 'single_link' || field.kind === 'multi_link' || field.kind === 'generic_id'
}

/** What the server knows of an element beside its body. */
export interface ServerFields {
  /** As the API shows them: UTC with microseconds. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly changeSeq: number
  readonly createdBy: string | null
}

/** What follows a stored body where it is read. */
export function tailOf({ createdAt, updatedAt, changeSeq, createdBy }: ServerFields): string {
  const by = createdBy === null ? 'null' : `"${createdBy}"`
  return `,"created_at":"${createdAt}","updated_at":"${updatedAt}","change_seq":${changeSeq},"created_by":${by}}`
}

const timestampLength = '2026-01-01T00:00:00.000000+00:00'.length
const updatedFrom = ',"created_at":"'.length + timestampLength + '","updated_at":"'.length

/** `updated_at` as a tail shows it: timestamps have one length, so it always stands in the same place. */
export function updatedAtOf(tail: string): string {
  return tail.slice(updatedFrom, updatedFrom + timestampLength)
}

function layoutOf(category: Category) {
  let layout = layouts.get(category.slug)
  if (layout === undefined) {
    const fields = [...baseFields, ...category.fields]
    layout = {
      names: new Set(fields.map(({ name }) => name)),
      parts: fields.map(({ name, kind }) => ({ name, lead: `,"${name}":`, empty: emptyText[kind] })),
    }
    layouts.set(category.slug, layout)
  }
  return layout
}
