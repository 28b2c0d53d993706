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

interface Part {
  /** Characters of `,"name":`. */
  readonly lead: number
  readonly isLink: boolean
}

const layouts = new WeakMap<Category, readonly Part[]>()

/** Fields in the order of a body, after `description`. */
function layoutOf(category: Category): readonly Part[] {
  let layout = layouts.get(category)
  if (layout === undefined) {
    layout = [...baseFields.slice(2), ...category.fields].map(({ name }) => ({
      lead: `,"${name}":`.length,
      isLink: category.links.has(name),
    }))
    layouts.set(category, layout)
  }
  return layout
}

/** A full body as this dialect shows it. The server writes its fields in one order, so none is looked for. */
export class ClassicView {
  /** Where links that name something begin and end, by turns. */
  readonly #links: number[] = []
  readonly #description: number
  readonly #end: number

  constructor(
    category: Category,
    private readonly body: string,
  ) {
    this.#description = endOfDescription(body)
    let at = this.#description
    for (const { lead, isLink } of layoutOf(category)) {
      const start = at + lead
      at = endOfValue(body, start)
      // Neither null nor an empty list is as long as an id.
      if (isLink && at - start > 36) this.#links.push(start, at)
    }
    this.#end = at
  }

  /** Ids that its links name. */
  linkedIds(): string[] {
    return this.#inLinks((start, end) => idsIn(this.body, start, end)).flat()
  }

  /** `stubs` holds JSON text by id; an id without one has gone meanwhile and is left out. */
  show(worldId: string, stubs: ReadonlyMap<string, string>): string {
    const { body } = this
    let shown = `{${body.slice(body.indexOf(',"id":"') + 1, this.#description)},"world":"${worldId}"`
    let from = this.#description
    this.#inLinks((start, end) => {
      const seen = idsIn(body, start, end).flatMap((id) => stubs.get(id) ?? [])
      shown += body.slice(from, start) + (body[start] === '[' ? `[${seen.join()}]` : (seen[0] ?? 'null'))
      from = end
    })
    // Extension fields stand between; the server's own never hold a brace or a quoted name of theirs.
    const tail = body.lastIndexOf(',"created_at":"')
    return `${shown}${body.slice(from, this.#end)}${body.slice(tail, body.indexOf(',"change_seq":', tail))}}`
  }

  #inLinks<T>(visit: (start: number, end: number) => T): T[] {
    const results: T[] = []
    for (let index = 0; index < this.#links.length; index += 2) {
      results.push(visit(this.#links[index] as number, this.#links[index + 1] as number))
    }
    return results
  }
}

/** `{"type":"…","id":"…","name":…,"description":…` */
function endOfDescription(body: string): number {
  const name = endOfValue(body, body.indexOf(',"name":') + ',"name":'.length)
  return endOfValue(body, name + ',"description":'.length)
}

/** Every id stands in quotes, and nothing else does. */
function idsIn(body: string, start: number, end: number): string[] {
  const ids: string[] = []
  for (let at = body.indexOf('"', start); at >= 0 && at < end; at = body.indexOf('"', at + 38)) {
    ids.push(body.slice(at + 1, at + 37))
  }
  return ids
}
